#include "serve/worker/runner.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/connect_pages.h"
#include "base/log.h"
#include "metrics/topic_board.h"

namespace walduct::serve {
namespace {

using engine::ConnectorState;

std::string TraceOf(const engine::ConnectorStatus& status) {
  if (!status.last_error) return "";
  return absl::StrCat("org.apache.kafka.connect.errors.ConnectException: ",
                      admin::TraceOf(*status.last_error));
}

}  // namespace

std::set<std::string> Runner::Names() const {
  const MutexLock lock(mutex_);
  std::set<std::string> names;
  for (const auto& [name, one] : running_) names.insert(name);
  return names;
}

bool Runner::Step(const std::string& name) {
  if (const auto status = parts_.connectors->StatusOf(name)) {
    if (!StepRunning(name, status->ended())) return false;
    // Joins a thread that has nothing to do any more.
    if (absl::Status removed = parts_.connectors->Remove(name); !removed.ok())
      log::Warn(removed.message());
    const MutexLock lock(mutex_);
    running_.erase(name);
  }
  const std::optional<Deployments::Wanted> wanted = deployments_.WantedOf(name);
  const MutexLock lock(mutex_);
  if (!wanted) restarts_.erase(name);
  const auto failure = failures_.find(name);
  const bool failed =
      wanted && failure != failures_.end() && failure->second.version == wanted->version;
  // Whoever owns it next, or again, tries for itself.
  const bool stopped = wanted && wanted->target == TargetState::kStopped;
  if (failure != failures_.end() && (!failed || stopped || !parts_.assignment->Owns(name)))
    failures_.erase(failure);
  return wanted && wanted->target == TargetState::kStarted && !failed;
}

// True: it has ended and is not wanted here as it is. What was told to stop is not wanted any more,
// whatever was asked for since: a new one follows it.
bool Runner::StepRunning(const std::string& name, bool ended) {
  const std::optional<Deployments::Wanted> wanted = deployments_.WantedOf(name);
  const MutexLock lock(mutex_);
  Running& running = running_[name];
  if (!wanted || wanted->target == TargetState::kStopped || running.stopping ||
      wanted->version != running.version || !parts_.assignment->Owns(name)) {
    if (ended) return true;
    if (!std::exchange(running.stopping, true))
      parts_.connectors->Post(name, engine::Command::kStop);
    return false;
  }
  if (std::exchange(running.commanded, wanted->target) != wanted->target) {
    const bool pauses = wanted->target == TargetState::kPaused;
    parts_.connectors->Post(name, pauses ? engine::Command::kPause : engine::Command::kResume);
  }
  if (restarts_.erase(name) > 0) parts_.connectors->Post(name, engine::Command::kRestart);
  return false;
}

void Runner::Begin(const std::string& name) {
  const std::optional<Deployment> one = deployments_.Find(name);
  if (!one) return;
  // A PATCH may have put another name there, which Connect does not mind.
  ConfigMap config = one->config;
  PutValue(&config, "name", name);
  const Loaded loaded = parts_.loader->Load(config);
  if (loaded.options == nullptr) return Fail(name, one->version, loaded.errors);
  {
    const MutexLock lock(mutex_);
    running_[name] = {.version = one->version, .topics = loaded.topics, .options = loaded.options};
  }
  // Only now, so that whoever changes what is wanted sees that it runs (HasEnded).
  const std::optional<Deployments::Wanted> wanted = deployments_.WantedOf(name);
  const bool still = wanted && wanted->version == one->version &&
                     wanted->target == TargetState::kStarted && parts_.assignment->Owns(name);
  {
    const MutexLock lock(mutex_);
    if (!still) {
      running_.erase(name);
      return;
    }
    restarts_.erase(name);
    failures_.erase(name);
  }
  const absl::Status added = parts_.connectors->Begin(*loaded.options);
  if (added.ok()) return;
  {
    const MutexLock lock(mutex_);
    running_.erase(name);
  }
  Fail(name, one->version, {std::string(added.message())});
}

void Runner::Fail(const std::string& name, uint64_t version,
                  const std::vector<std::string>& errors) {
  const std::string why = absl::StrJoin(errors, "\n");
  log::Error("connector cannot be started", {{"name", name}, {"why", why}});
  const MutexLock lock(mutex_);
  failures_[name] = {.version = version, .why = why, .at = parts_.environment.clock->Now()};
}

std::optional<Runner::Failure> Runner::FailureOf(const std::string& name) const {
  const std::optional<Deployments::Wanted> wanted = deployments_.WantedOf(name);
  const MutexLock lock(mutex_);
  const auto failure = failures_.find(name);
  const bool failed = wanted && wanted->target != TargetState::kStopped &&
                      failure != failures_.end() && failure->second.version == wanted->version &&
                      !running_.contains(name);
  return failed ? std::optional(failure->second) : std::nullopt;
}

void Runner::Revoke(Assignment::Done done) {
  const MutexLock lock(mutex_);
  revocations_.push_back(std::move(done));
}

void Runner::CompleteRevocations(bool all) {
  std::vector<Assignment::Done> done;
  {
    const MutexLock lock(mutex_);
    const auto is_over = [&](const auto& one) { return parts_.assignment->Owns(one.first); };
    if (!all && !revocations_.empty() && !absl::c_all_of(running_, is_over)) return;
    done.swap(revocations_);
  }
  for (const Assignment::Done& one : done) one();
}

void Runner::Restart(const std::string& name) {
  const MutexLock lock(mutex_);
  restarts_.insert(name);
  failures_.erase(name);
}

bool Runner::restarts(const std::string& name) const {
  const MutexLock lock(mutex_);
  return restarts_.contains(name);
}

void Runner::Forgive(const std::string& name) {
  const MutexLock lock(mutex_);
  failures_.erase(name);
}

bool Runner::HasEnded(const std::string& name, bool ends) {
  const MutexLock lock(mutex_);
  const auto running = running_.find(name);
  if (running == running_.end()) return true;
  if (ends && !std::exchange(running->second.stopping, true))
    parts_.connectors->Post(name, engine::Command::kStop);
  return false;
}

// What is about to end takes what it was asked for with it.
std::shared_ptr<const engine::ConnectorOptions> Runner::OptionsOf(const std::string& name) const {
  const std::optional<Deployments::Wanted> wanted = deployments_.WantedOf(name);
  const MutexLock lock(mutex_);
  const auto running = running_.find(name);
  if (running == running_.end() || running->second.stopping) return nullptr;
  const bool goes_on = wanted && wanted->target != TargetState::kStopped &&
                       wanted->version == running->second.version;
  return goes_on ? running->second.options : nullptr;
}

// A task fails, its connector goes on as RUNNING. A stopped one has no task once it has ended; one
// that was made anew has none until its own is committed, whatever of its name still ends.
std::optional<TaskView> Runner::TaskOf(const std::string& name, const Deployment& one) const {
  const MutexLock lock(mutex_);
  const std::optional<engine::ConnectorStatus> status = parts_.connectors->StatusOf(name);
  if (one.tasks == 0 && (!status || one.target != TargetState::kStopped)) return std::nullopt;
  const auto running = running_.find(name);
  if (!status || running == running_.end()) {
    const auto failure = failures_.find(name);
    if (failure != failures_.end() && failure->second.version == one.version &&
        !failure->second.why.empty()) {
      return TaskView{.state = "FAILED",
                      .trace = absl::StrCat("org.apache.kafka.common.config.ConfigException: ",
                                            failure->second.why)};
    }
    return TaskView{.state = one.target == TargetState::kPaused ? "PAUSED" : "UNASSIGNED",
                    .trace = {}};
  }
  switch (status->state) {
    case ConnectorState::kFailed:
      return TaskView{.state = "FAILED", .trace = TraceOf(*status)};
    case ConnectorState::kStopped:
      // It has ended by itself, having done what it was asked for; or is about to start anew.
      if (one.target == TargetState::kStopped) return std::nullopt;
      if (one.target == TargetState::kPaused) return TaskView{.state = "PAUSED", .trace = {}};
      return TaskView{.state = running->second.stopping ? "UNASSIGNED" : "RUNNING", .trace = {}};
    default:
      return TaskView{.state = std::string(engine::StateText(status->state)), .trace = {}};
  }
}

std::vector<std::pair<std::string, std::string>> Runner::TakeTopics() {
  const MutexLock lock(mutex_);
  std::vector<std::pair<std::string, std::string>> topics;
  for (const auto& [name, running] : running_) {
    if (running.topics == nullptr) continue;
    for (std::string& topic : running.topics->TakeWritten())
      topics.emplace_back(name, std::move(topic));
  }
  return topics;
}

}  // namespace walduct::serve
