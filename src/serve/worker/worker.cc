#include "serve/worker/worker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "metrics/topic_board.h"

namespace walduct::serve {
namespace {

absl::Status NotFound(absl::string_view name) {
  return absl::NotFoundError(absl::StrCat("Unknown connector ", name));
}

}  // namespace

bool Worker::IsForeign(const Deployment& one) {
  const std::string* connector_class = FindValue(one.config, "connector.class");
  return connector_class == nullptr ||
         (*connector_class != kPostgresClass && *connector_class != "PostgresConnector" &&
          *connector_class != "Postgres");
}

absl::StatusOr<Worker::Deployment*> Worker::FindOwn(const std::string& name) {
  const auto found = deployments_.find(name);
  if (found == deployments_.end()) return NotFound(name);
  if (IsForeign(found->second)) {
    return absl::FailedPreconditionError(absl::StrCat("Connector ", name, " is not of class ",
                                                      kPostgresClass, ": walduct leaves it alone"));
  }
  return &found->second;
}

std::vector<std::string> Worker::Names() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, one] : deployments_) names.push_back(name);
  return names;
}

std::optional<ConnectorView> Worker::Find(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = deployments_.find(name);
  if (found == deployments_.end()) return std::nullopt;
  const Deployment& one = found->second;
  return ConnectorView{
      .name = name, .config = one.config, .tasks = one.tasks, .foreign = IsForeign(one)};
}

absl::Status Worker::Create(const std::string& name, const ConfigMap& config, TargetState target) {
  const MutexLock change(change_mutex_);
  RETURN_IF_ERROR(Refresh());
  {
    const MutexLock lock(mutex_);
    if (deployments_.contains(name))
      return absl::AlreadyExistsError(absl::StrCat("Connector ", name, " already exists"));
  }
  // First the state: a worker that reads the connector alone would start it.
  std::vector<TopicEntry> entries;
  if (target != TargetState::kStarted)
    entries.push_back({.key = TargetKey(name), .value = TargetValue(target)});
  entries.push_back({.key = ConnectorKey(name), .value = ConnectorValue(config)});
  RETURN_IF_ERROR(WriteConfigs(entries));
  const MutexLock lock(mutex_);
  Deployment one;
  one.config = config;
  one.target = target;
  one.version = next_version_++;
  deployments_[name] = std::move(one);
  wake_.Signal();
  return absl::OkStatus();
}

absl::StatusOr<bool> Worker::PutConfig(const std::string& name, const ConfigMap& config,
                                       bool expects) {
  {
    const MutexLock change(change_mutex_);
    RETURN_IF_ERROR(Refresh());
    bool exists = false;
    {
      const MutexLock lock(mutex_);
      exists = deployments_.contains(name);
      if (exists) RETURN_IF_ERROR(FindOwn(name).status());
    }
    if (exists) {
      RETURN_IF_ERROR(WriteConfigs({{.key = ConnectorKey(name), .value = ConnectorValue(config)}}));
      const MutexLock lock(mutex_);
      Deployment& one = deployments_[name];
      // As it is: nothing starts anew, and what has failed stays so.
      const bool same = SameConfig(one.config, config);
      one.config = config;
      if (!same) {
        one.version = next_version_++;
        RepeatStatus(name, true, true);
      }
      wake_.Signal();
      return false;
    }
  }
  if (expects) return NotFound(name);
  RETURN_IF_ERROR(Create(name, config, TargetState::kStarted));
  return true;
}

absl::Status Worker::SetTarget(const std::string& name, TargetState target) {
  const MutexLock change(change_mutex_);
  RETURN_IF_ERROR(Refresh());
  {
    const MutexLock lock(mutex_);
    RETURN_IF_ERROR(FindOwn(name).status());
  }
  std::vector<TopicEntry> entries;
  if (target == TargetState::kStopped)
    entries.push_back({.key = CommitKey(name), .value = CommitValue(0)});
  entries.push_back({.key = TargetKey(name), .value = TargetValue(target)});
  RETURN_IF_ERROR(WriteConfigs(entries));
  const MutexLock lock(mutex_);
  Deployment& one = deployments_[name];
  one.target = target;
  if (target == TargetState::kStopped) {
    one.tasks = 0;
    one.committed = one.failed = 0;
  }
  wake_.Signal();
  return absl::OkStatus();
}

absl::Status Worker::Delete(const std::string& name) {
  const MutexLock change(change_mutex_);
  RETURN_IF_ERROR(Refresh());
  {
    const MutexLock lock(mutex_);
    RETURN_IF_ERROR(FindOwn(name).status());
  }
  RETURN_IF_ERROR(WriteConfigs(
      {{.key = ConnectorKey(name), .value = {}}, {.key = TargetKey(name), .value = {}}}));
  std::vector<TopicEntry> topics;
  {
    const MutexLock lock(mutex_);
    deployments_.erase(name);
    for (const std::string& topic : topics_[name].names)
      topics.push_back({.key = TopicStatusKey(name, topic), .value = {}});
    topics_.erase(name);
  }
  wake_.Signal();
  if (!topics.empty()) RETURN_IF_ERROR(parts_.topics->Write(InternalTopic::kStatus, topics));
  return absl::OkStatus();
}

absl::Status Worker::RestartTask(const std::string& name, const std::string& task) {
  const MutexLock change(change_mutex_);
  const MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(Deployment * one, FindOwn(name));
  if (task != "0" || one->tasks == 0)
    return absl::NotFoundError(absl::StrCat("Unknown task: ", name, "-", task));
  one->restart = true;
  one->failed = 0;
  RepeatStatus(name, false, true);
  wake_.Signal();
  return absl::OkStatus();
}

absl::StatusOr<StatusView> Worker::Restart(const std::string& name, bool include_tasks,
                                           bool only_failed) {
  const MutexLock change(change_mutex_);
  RETURN_IF_ERROR(Refresh());
  const bool plan = include_tasks || only_failed;
  {
    const MutexLock lock(mutex_);
    RETURN_IF_ERROR(FindOwn(name).status());
  }
  // Without a flag a worker restarts what has no life of its own here.
  if (plan) {
    RETURN_IF_ERROR(WriteConfigs(
        {{.key = RestartKey(name), .value = RestartValue(include_tasks, only_failed)}}));
  }
  const MutexLock lock(mutex_);
  Deployment& one = deployments_[name];
  StatusView view = ViewOf(name, one);
  if (!only_failed) {
    view.state = "RESTARTING";
    RepeatStatus(name, true, false);
  }
  if (plan && include_tasks && view.task && (!only_failed || view.task->state == "FAILED")) {
    view.task->state = "RESTARTING";
    one.restart = true;
    one.failed = 0;
    RepeatStatus(name, false, true);
    wake_.Signal();
  }
  return view;
}

std::set<std::string> Worker::TopicsOf(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = topics_.find(name);
  return found == topics_.end() ? std::set<std::string>() : found->second.names;
}

absl::Status Worker::ResetTopics(const std::string& name) {
  const MutexLock change(change_mutex_);
  RETURN_IF_ERROR(CheckMayWrite());
  std::vector<TopicEntry> entries;
  {
    const MutexLock lock(mutex_);
    const auto found = topics_.find(name);
    if (found == topics_.end()) return absl::OkStatus();
    for (const std::string& topic : found->second.names)
      entries.push_back({.key = TopicStatusKey(name, topic), .value = {}});
    found->second.names.clear();
    found->second.unwritten.clear();
    const auto running = running_.find(name);
    if (running != running_.end() && running->second.topics != nullptr)
      running->second.topics->TakeWritten();
  }
  if (entries.empty()) return absl::OkStatus();
  return parts_.topics->Write(InternalTopic::kStatus, entries);
}

absl::Status Worker::WhileFailed(
    const std::string& name,
    const std::function<absl::Status(const engine::ConnectorError& last)>& change) {
  const MutexLock changing(change_mutex_);
  RETURN_IF_ERROR(Refresh());
  std::optional<engine::ConnectorStatus> status;
  {
    const MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(const Deployment* one, FindOwn(name));
    if (!one->restart) status = parts_.connectors->StatusOf(name);
  }
  if (!status || status->state != engine::ConnectorState::kFailed || !status->last_error) {
    return absl::FailedPreconditionError(
        absl::StrCat("Connector ", name, " has not failed: there is nothing to skip"));
  }
  RETURN_IF_ERROR(CheckMayWrite());
  RETURN_IF_ERROR(change(*status->last_error));
  const MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(Deployment * one, FindOwn(name));
  one->restart = true;
  one->failed = 0;
  RepeatStatus(name, false, true);
  wake_.Signal();
  return absl::OkStatus();
}

absl::Status Worker::WhileStopped(const std::string& name,
                                  const std::function<absl::Status()>& change, bool also_paused) {
  // What was stopped may take a moment to end.
  constexpr absl::Duration kEnds = absl::Seconds(30);
  constexpr absl::Duration kLookAgain = absl::Milliseconds(20);
  const absl::Duration deadline = parts_.environment.clock->Monotonic() + kEnds;
  while (true) {
    {
      const MutexLock changing(change_mutex_);
      RETURN_IF_ERROR(Refresh());
      bool ended = false;
      {
        const MutexLock lock(mutex_);
        ASSIGN_OR_RETURN(const Deployment* one, FindOwn(name));
        const bool paused = also_paused && one->target == TargetState::kPaused;
        if (one->target != TargetState::kStopped && !paused) {
          return absl::FailedPreconditionError(absl::StrCat(
              "Connectors must be in the STOPPED state before their offsets can be modified. This "
              "can be done for the specified connector by issuing a 'PUT' request to the "
              "'/connectors/",
              name, "/stop' endpoint"));
        }
        const auto running = running_.find(name);
        ended = running == running_.end();
        if (!ended && paused && !std::exchange(running->second.stopping, true))
          parts_.connectors->Post(name, engine::Command::kStop);
      }
      if (ended) {
        RETURN_IF_ERROR(CheckMayWrite());
        return change();
      }
    }
    if (parts_.environment.clock->Monotonic() > deadline)
      return absl::UnavailableError(absl::StrCat("Connector ", name, " has not ended yet"));
    parts_.environment.poller->WaitReadable({}, kLookAgain);
  }
}

}  // namespace walduct::serve
