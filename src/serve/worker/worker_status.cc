// What a Worker shows of its connectors, to clients and in the status topic.
#include <utility>

#include "absl/strings/str_cat.h"
#include "admin/connect_pages.h"
#include "base/log.h"
#include "serve/worker/worker.h"

namespace walduct::serve {
namespace {

using engine::ConnectorState;

constexpr absl::Duration kSilence = absl::Seconds(5);

std::string TraceOf(const engine::ConnectorStatus& status) {
  if (!status.last_error) return "";
  return absl::StrCat("org.apache.kafka.connect.errors.ConnectException: ",
                      admin::TraceOf(*status.last_error));
}

absl::string_view WordOf(TargetState target) {
  switch (target) {
    case TargetState::kStarted:
      return "RUNNING";
    case TargetState::kPaused:
      return "PAUSED";
    case TargetState::kStopped:
      return "STOPPED";
  }
  return "";
}

}  // namespace

std::optional<StatusView> Worker::StatusOf(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = deployments_.find(name);
  if (found == deployments_.end()) return std::nullopt;
  return ViewOf(name, found->second);
}

StatusView Worker::ViewOf(const std::string& name, const Deployment& one) const {
  StatusView view{.name = name,
                  .state = std::string(WordOf(one.target)),
                  .trace = {},
                  .worker_id = parts_.worker_id,
                  .version = parts_.version,
                  .task = {}};
  if (IsForeign(one)) {
    view.state = "UNASSIGNED";
    view.trace = absl::StrCat("walduct runs ", kPostgresClass, " alone; this one is left alone");
    view.version = "";
    return view;
  }
  view.task = TaskOf(name, one);
  return view;
}

// A task fails, its connector goes on as RUNNING. A stopped one has no task once it has ended; one
// that was made anew has none until its own is committed, whatever of its name still ends.
std::optional<TaskView> Worker::TaskOf(const std::string& name, const Deployment& one) const {
  const std::optional<engine::ConnectorStatus> status = parts_.connectors->StatusOf(name);
  if (one.tasks == 0 && (!status || one.target != TargetState::kStopped)) return std::nullopt;
  if (!status || !running_.contains(name)) {
    if (one.failed == one.version && !one.failure.empty()) {
      return TaskView{
          .state = "FAILED",
          .trace = absl::StrCat("org.apache.kafka.common.config.ConfigException: ", one.failure)};
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
      return TaskView{.state = running_.at(name).stopping ? "UNASSIGNED" : "RUNNING", .trace = {}};
    default:
      return TaskView{.state = std::string(engine::StateText(status->state)), .trace = {}};
  }
}

std::map<std::string, std::string> Worker::StatusEntries() const {
  const MutexLock lock(mutex_);
  std::map<std::string, std::string> entries;
  for (const auto& [name, one] : deployments_) {
    if (IsForeign(one)) continue;
    const StatusView view = ViewOf(name, one);
    entries[ConnectorStatusKey(name)] = StatusValue(
        {.state = view.state, .trace = view.trace, .version = view.version}, parts_.worker_id);
    if (!view.task) continue;
    const bool unassigned = view.task->state == "UNASSIGNED";
    entries[TaskStatusKey(name)] = StatusValue({.state = view.task->state,
                                                .trace = view.task->trace,
                                                .version = unassigned ? "" : view.version},
                                               parts_.worker_id);
  }
  return entries;
}

void Worker::WriteStatuses(const std::map<std::string, std::string>& entries) {
  std::vector<TopicEntry> changes;
  {
    const MutexLock lock(mutex_);
    for (const auto& [key, value] : entries) {
      const auto found = statuses_.find(key);
      if (found == statuses_.end() || found->second != value || repeated_.contains(key))
        changes.push_back({.key = key, .value = value});
    }
    repeated_.clear();
    for (const auto& [key, value] : statuses_) {
      const std::optional<StatusName> name = NameOfStatus(key);
      const auto owner = deployments_.find(name ? name->connector : "");
      const bool foreign = owner != deployments_.end() && IsForeign(owner->second);
      if (!entries.contains(key) && !foreign) changes.push_back({.key = key, .value = {}});
    }
  }
  if (changes.empty()) return;
  const absl::Status written = parts_.topics->Write(InternalTopic::kStatus, changes);
  const MutexLock lock(mutex_);
  if (!written.ok()) {
    for (const TopicEntry& change : changes) repeated_.insert(change.key);
    return BeSilent("states of connectors cannot be written", written);
  }
  for (const TopicEntry& change : changes) {
    if (change.value) {
      statuses_[change.key] = *change.value;
    } else {
      statuses_.erase(change.key);
    }
  }
}

// What begins anew says so, as Connect's does, though it is what it was.
void Worker::RepeatStatus(const std::string& name, bool of_connector, bool of_task) {
  const auto repeat = [this](const std::string& key) {
    mutex_.AssertHeld();
    if (statuses_.contains(key)) repeated_.insert(key);
  };
  if (of_connector) repeat(ConnectorStatusKey(name));
  if (of_task) repeat(TaskStatusKey(name));
}

void Worker::BeSilent(absl::string_view what, const absl::Status& written) {
  log::Warn(absl::StrCat(what, ": ", written.message()));
  silent_until_ = parts_.environment.clock->Now() + kSilence;
}

void Worker::Leave() {
  if (!parts_.may_write().ok()) return;
  std::map<std::string, std::string> entries = StatusEntries();
  for (auto& [key, value] : entries)
    value = StatusValue({.state = "UNASSIGNED", .trace = {}, .version = {}}, parts_.worker_id);
  WriteStatuses(entries);
}

}  // namespace walduct::serve
