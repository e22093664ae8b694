// The thread of a Worker: what runs follows what the topics say.
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "metrics/topic_board.h"
#include "serve/worker/worker.h"

namespace walduct::serve {
namespace {

// Requests wake it; what connectors do by themselves is looked at as often.
constexpr absl::Duration kLook = absl::Milliseconds(100);

}  // namespace

void Worker::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Worker::Stop() {
  {
    const MutexLock lock(mutex_);
    ends_ = true;
  }
  wake_.Signal();
  if (thread_.joinable()) thread_.join();
}

void Worker::Run() {
  while (true) {
    wake_.Drain();
    {
      const MutexLock lock(mutex_);
      if (ends_) return;
    }
    Reconcile();
    parts_.environment.poller->WaitReadable({wake_.fd()}, kLook);
  }
}

void Worker::Reconcile() {
  LookWhetherTopicsAreThere();
  LookWhetherItMayWrite();
  std::set<std::string> names;
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, one] : deployments_) names.insert(name);
    for (const auto& [name, one] : running_) names.insert(name);
  }
  for (const std::string& name : names) Step(name);
  Look();
}

void Worker::Step(const std::string& name) {
  if (const auto status = parts_.connectors->StatusOf(name)) {
    if (!StepRunning(name, status->ended())) return;
    // Joins a thread that has nothing to do any more.
    if (absl::Status removed = parts_.connectors->Remove(name); !removed.ok())
      log::Warn(removed.message());
    const MutexLock lock(mutex_);
    running_.erase(name);
  }
  Deployment one;
  {
    const MutexLock lock(mutex_);
    const auto found = deployments_.find(name);
    if (found == deployments_.end() || IsForeign(found->second)) return;
    one = found->second;
  }
  if (one.target == TargetState::kStarted && one.failed != one.version) StartOne(name, one);
}

// True: it has ended and is not wanted as it is. What was told to stop is not wanted any more,
// whatever was asked for since: a new one follows it.
bool Worker::StepRunning(const std::string& name, bool ended) {
  const MutexLock lock(mutex_);
  Running& running = running_[name];
  const auto found = deployments_.find(name);
  const bool wanted = found != deployments_.end() && !IsForeign(found->second) &&
                      found->second.target != TargetState::kStopped && !running.stopping &&
                      found->second.version == running.version;
  if (!wanted) {
    if (ended) return true;
    if (!std::exchange(running.stopping, true))
      parts_.connectors->Post(name, engine::Command::kStop);
    return false;
  }
  Deployment& one = found->second;
  if (std::exchange(running.commanded, one.target) != one.target) {
    const bool pauses = one.target == TargetState::kPaused;
    parts_.connectors->Post(name, pauses ? engine::Command::kPause : engine::Command::kResume);
  }
  if (std::exchange(one.restart, false)) parts_.connectors->Post(name, engine::Command::kRestart);
  return false;
}

void Worker::StartOne(const std::string& name, const Deployment& one) {
  {
    const MutexLock lock(mutex_);
    if (parts_.environment.clock->Now() < silent_until_) return;
  }
  // Nothing new begins without the seat, for another worker may begin it.
  if (!parts_.may_write().ok()) return;
  if (absl::Status committed = CommitTask(name, one); !committed.ok()) {
    const MutexLock lock(mutex_);
    return BeSilent(absl::StrCat("connector ", name, " cannot be started yet"), committed);
  }
  // A PATCH may have put another name there, which Connect does not mind.
  ConfigMap config = one.config;
  PutValue(&config, "name", name);
  Loaded loaded = parts_.loader->Load(config);
  if (loaded.options == nullptr) return Fail(name, one.version, loaded.errors);
  {
    const MutexLock lock(mutex_);
    const auto found = deployments_.find(name);
    // Deleted or changed meanwhile: the next look decides.
    if (found == deployments_.end() || found->second.version != one.version ||
        found->second.target != TargetState::kStarted)
      return;
    found->second.restart = false;
    found->second.failure.clear();
    running_[name] = {.version = one.version, .topics = loaded.topics};
  }
  const absl::Status added = parts_.connectors->Begin(*loaded.options);
  if (added.ok()) return;
  {
    const MutexLock lock(mutex_);
    running_.erase(name);
  }
  Fail(name, one.version, {std::string(added.message())});
}

// Task configurations count once they are committed.
absl::Status Worker::CommitTask(const std::string& name, const Deployment& one) {
  if (one.tasks > 0 && one.committed == one.version) return absl::OkStatus();
  const MutexLock change(change_mutex_);
  RETURN_IF_ERROR(Refresh());
  {
    const MutexLock lock(mutex_);
    const auto found = deployments_.find(name);
    if (found == deployments_.end() || found->second.version != one.version ||
        found->second.target != TargetState::kStarted)
      return absl::AbortedError("it was changed meanwhile");
  }
  RETURN_IF_ERROR(WriteConfigs({{.key = TaskKey(name), .value = TaskValue(one.config)},
                                {.key = CommitKey(name), .value = CommitValue(1)}}));
  const MutexLock lock(mutex_);
  Deployment& now = deployments_[name];
  now.tasks = 1;
  now.committed = one.version;
  return absl::OkStatus();
}

void Worker::Fail(const std::string& name, uint64_t version,
                  const std::vector<std::string>& errors) {
  const std::string why = absl::StrJoin(errors, "\n");
  log::Error("connector cannot be started", {{"name", name}, {"why", why}});
  const MutexLock lock(mutex_);
  const auto found = deployments_.find(name);
  if (found == deployments_.end() || found->second.version != version) return;
  found->second.failed = version;
  found->second.failure = why;
}

// What is new since the last look goes to the status topic.
void Worker::Look() {
  {
    const MutexLock lock(mutex_);
    if (stale_ || parts_.environment.clock->Now() < silent_until_) return;
  }
  if (!parts_.may_write().ok()) return;
  WriteTopics();
  WriteStatuses(StatusEntries());
}

// Not while a reset or a deletion takes topics away: theirs is the last word.
void Worker::WriteTopics() {
  TakeTopics();
  if (NewTopics().empty()) return;
  const MutexLock change(change_mutex_);
  const std::vector<NewTopic> topics = NewTopics();
  if (topics.empty()) return;
  std::vector<TopicEntry> entries;
  for (const auto& [name, topic] : topics) {
    entries.push_back({.key = TopicStatusKey(name, topic),
                       .value = TopicStatusValue(name, topic, parts_.environment.clock->Now())});
  }
  const absl::Status written = parts_.topics->Write(InternalTopic::kStatus, entries);
  const MutexLock lock(mutex_);
  if (!written.ok()) return BeSilent("topics of connectors cannot be written", written);
  for (const auto& [name, topic] : topics) {
    topics_[name].names.insert(topic);
    topics_[name].unwritten.erase(topic);
  }
}

void Worker::TakeTopics() {
  const MutexLock lock(mutex_);
  for (const auto& [name, running] : running_) {
    if (running.topics == nullptr || !deployments_.contains(name)) continue;
    ActiveTopics& active = topics_[name];
    for (std::string& topic : running.topics->TakeWritten()) {
      if (!active.names.contains(topic)) active.unwritten.insert(std::move(topic));
    }
  }
}

std::vector<Worker::NewTopic> Worker::NewTopics() const {
  const MutexLock lock(mutex_);
  std::vector<NewTopic> topics;
  for (const auto& [name, active] : topics_) {
    if (!deployments_.contains(name)) continue;
    for (const std::string& topic : active.unwritten) topics.push_back({name, topic});
  }
  return topics;
}

}  // namespace walduct::serve
