// What a Worker reads of its topics and writes to them.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "serve/worker/worker.h"

namespace walduct::serve {
namespace {

constexpr absl::Duration kReadAgain = absl::Seconds(5);
constexpr absl::Duration kLookForTopics = absl::Seconds(10);

}  // namespace

absl::StatusOr<Worker::Contents> Worker::ReadTopics() {
  Contents contents;
  RETURN_IF_ERROR(parts_.topics->Read(
      InternalTopic::kConfigs, [&](absl::string_view key, std::optional<absl::string_view> value) {
        ReadConfig(key, value, &contents);
      }));
  RETURN_IF_ERROR(parts_.topics->Read(
      InternalTopic::kStatus, [&](absl::string_view key, std::optional<absl::string_view> value) {
        ReadStatus(key, value, &contents);
      }));
  for (auto one = contents.deployments.begin(); one != contents.deployments.end();) {
    // A target state may be there before its connector, or after it.
    one = one->second.config.empty() ? contents.deployments.erase(one) : std::next(one);
  }
  return contents;
}

// Keys that are not known are skipped: other workers write more than counts here.
void Worker::ReadConfig(absl::string_view key, std::optional<absl::string_view> value,
                        Contents* out) {
  const uint64_t version = ++out->configs;
  const ConfigRecordName record = NameOfConfigRecord(key);
  if (record.kind == ConfigRecordKind::kOther) return;
  absl::Status read;
  if (record.kind == ConfigRecordKind::kLogger) {
    if (!value) return;
    const absl::StatusOr<std::string> level = ReadLoggerValue(*value);
    if (level.ok()) out->loggers[record.name] = *level;
    return;
  }
  Deployment& one = out->deployments[record.name];
  if (record.kind == ConfigRecordKind::kConnector) {
    one.version = version;
    absl::StatusOr<ConfigMap> config = value ? ReadConnectorValue(*value) : ConfigMap();
    read = config.status();
    if (config.ok()) one.config = *std::move(config);
    if (!value) one = Deployment();
  } else if (record.kind == ConfigRecordKind::kTarget) {
    absl::StatusOr<TargetState> target = value ? ReadTargetValue(*value) : TargetState::kStarted;
    read = target.status();
    if (target.ok()) one.target = *target;
  } else if (value) {
    const absl::StatusOr<int> tasks = ReadCommitValue(*value);
    read = tasks.status();
    if (tasks.ok()) one.tasks = *tasks;
    one.committed = one.version;
  }
  if (!read.ok()) log::Warn(absl::StrCat("record ", key, " is skipped: ", read.message()));
}

void Worker::ReadStatus(absl::string_view key, std::optional<absl::string_view> value,
                        Contents* out) {
  if (const auto topic = NameOfTopicStatus(key)) {
    ActiveTopics& active = out->topics[topic->first];
    if (value) {
      active.names.insert(topic->second);
    } else {
      active.names.erase(topic->second);
    }
  } else if (NameOfStatus(key)) {
    if (value) {
      out->statuses[std::string(key)] = std::string(*value);
    } else {
      out->statuses.erase(std::string(key));
    }
  }
}

// What runs goes on where its configuration is the same.
void Worker::Take(Contents contents) {
  for (auto& [name, one] : contents.deployments) {
    const bool is_committed = one.committed == one.version;
    const auto found = deployments_.find(name);
    if (found != deployments_.end() && SameConfig(found->second.config, one.config)) {
      const Deployment& before = found->second;
      one.version = before.version;
      one.failed = before.failed;
      one.failure = before.failure;
      one.restart = before.restart;
    } else {
      one.version = next_version_++;
    }
    one.committed = is_committed ? one.version : 0;
  }
  for (const auto& [name, before] : topics_) {
    ActiveTopics& active = contents.topics[name];
    for (const std::string& topic : before.unwritten)
      if (!active.names.contains(topic)) active.unwritten.insert(topic);
  }
  deployments_ = std::move(contents.deployments);
  topics_ = std::move(contents.topics);
  statuses_ = std::move(contents.statuses);
  loggers_ = std::move(contents.loggers);
  stale_ = false;
  trouble_ = absl::OkStatus();
}

absl::Status Worker::Load() {
  ASSIGN_OR_RETURN(Contents contents, ReadTopics());
  const MutexLock lock(mutex_);
  Take(std::move(contents));
  loaded_ = true;
  for (const auto& [name, one] : deployments_) {
    if (IsForeign(one)) {
      const std::string* connector_class = FindValue(one.config, "connector.class");
      log::Warn("a connector of another class is left alone",
                {{"name", name}, {"class", connector_class == nullptr ? "" : *connector_class}});
    }
  }
  return absl::OkStatus();
}

void Worker::Forget() {
  const MutexLock change(change_mutex_);
  const MutexLock lock(mutex_);
  Take({});
  loaded_ = false;
  wake_.Signal();
}

// What another worker may have written meanwhile counts, and what of ours
// may have been written without an answer. Topics that have lost everything say nothing: who would
// take that for an order would stop all connectors. What is known here is written into them.
absl::Status Worker::Refresh() {
  {
    const MutexLock lock(mutex_);
    if (!stale_) return absl::OkStatus();
  }
  RETURN_IF_ERROR(parts_.may_write());
  RETURN_IF_ERROR(parts_.topics->Prepare());
  ASSIGN_OR_RETURN(Contents contents, ReadTopics());
  RETURN_IF_ERROR(BringBack(&contents));
  const MutexLock lock(mutex_);
  Take(std::move(contents));
  wake_.Signal();
  log::Info("the worker's topics were read again", {{"connectors", deployments_.size()}});
  return absl::OkStatus();
}

// By the thread; also without the seat, which goes with the topic.
void Worker::LookWhetherTopicsAreThere() {
  const absl::Duration now = parts_.environment.clock->Monotonic();
  if (now < next_look_) return;
  next_look_ = now + kLookForTopics;
  {
    const MutexLock lock(mutex_);
    if (!loaded_) return;
  }
  if (!CheckReachable().ok()) return;
  const absl::Status there = parts_.topics->CheckThere();
  if (ErrorReason(there) != "worker_topic_gone") return;
  log::Warn(there.message(), {{"reason", ErrorReason(there)}, {"hint", ErrorHint(there)}});
  OnTopicGone(there);
  if (absl::Status created = parts_.topics->Prepare(); !created.ok()) {
    log::Warn(created.message(), {{"reason", ErrorReason(created)}, {"hint", ErrorHint(created)}});
    next_look_ = now + kReadAgain;
  }
}

void Worker::OnTopicGone(const absl::Status& gone) {
  const MutexLock lock(mutex_);
  stale_ = true;
  trouble_ = gone;
}

// All that the topic of connectors held, as far as it is known here.
std::vector<TopicEntry> Worker::ConfigEntries() const {
  std::vector<TopicEntry> entries;
  for (const auto& [logger, level] : loggers_)
    entries.push_back({.key = LoggerKey(logger), .value = LoggerValue(level)});
  for (const auto& [name, one] : deployments_) {
    entries.push_back({.key = ConnectorKey(name), .value = ConnectorValue(one.config)});
    // What tasks others have is known to their workers alone.
    if (one.tasks == 1 && one.committed == one.version && !IsForeign(one)) {
      entries.push_back({.key = TaskKey(name), .value = TaskValue(one.config)});
      entries.push_back({.key = CommitKey(name), .value = CommitValue(1)});
    }
    entries.push_back({.key = TargetKey(name), .value = TargetValue(one.target)});
  }
  return entries;
}

// The seat is ours: nobody else writes.
absl::Status Worker::BringBack(Contents* contents) {
  std::vector<TopicEntry> lost;
  {
    const MutexLock lock(mutex_);
    // The names of topics have been in the topic of states; states are written whenever they miss.
    if (contents->statuses.empty() && contents->topics.empty() && !statuses_.empty()) {
      for (auto& [name, active] : topics_)
        active.unwritten.insert(active.names.begin(), active.names.end());
    }
    if (contents->configs == 0 && !deployments_.empty()) lost = ConfigEntries();
  }
  if (lost.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(parts_.topics->Write(InternalTopic::kConfigs, lost));
  ASSIGN_OR_RETURN(*contents, ReadTopics());
  if (contents->configs == 0) {
    return Error(absl::StatusCode::kUnavailable, "worker_topic_empty",
                 "the topic of config.storage.topic has lost its records, and what is written into "
                 "it is not there: the connectors go on as they are, and nothing is changed",
                 "do not stop this process; look whether the topic has cleanup.policy=compact");
  }
  log::Warn(
      "the topic of config.storage.topic had lost its records: what this worker knows was "
      "written into it",
      {{"reason", "worker_topic_empty"}, {"connectors", contents->deployments.size()}});
  return absl::OkStatus();
}

// By the thread. A moment without the right to write may have been another worker's.
void Worker::LookWhetherItMayWrite() {
  const bool may_write = parts_.may_write().ok();
  {
    const MutexLock lock(mutex_);
    if (!loaded_) return;
    if (!may_write) stale_ = true;
    if (!may_write || !stale_ || parts_.environment.clock->Now() < silent_until_) return;
  }
  const MutexLock change(change_mutex_);
  if (absl::Status read = Refresh(); !read.ok()) {
    const MutexLock lock(mutex_);
    log::Warn(absl::StrCat("the worker's topics cannot be read: ", read.message()),
              {{"reason", ErrorReason(read)}, {"hint", ErrorHint(read)}});
    trouble_ = read;
    silent_until_ = parts_.environment.clock->Now() + kReadAgain;
  }
}

absl::Status Worker::CheckMayWrite() const {
  RETURN_IF_ERROR(parts_.may_write());
  const MutexLock lock(mutex_);
  if (!stale_) return absl::OkStatus();
  return absl::AbortedError(
      "Cannot complete request momentarily due to stale configuration (typically caused by a "
      "concurrent config change)");
}

absl::Status Worker::WriteConfigs(const std::vector<TopicEntry>& entries) {
  RETURN_IF_ERROR(CheckMayWrite());
  const absl::Status written = parts_.topics->Write(InternalTopic::kConfigs, entries);
  if (written.ok()) return written;
  const absl::Status there = parts_.topics->CheckThere();
  if (ErrorReason(there) == "worker_topic_gone") {
    OnTopicGone(there);
    return Error(absl::StatusCode::kUnavailable, ErrorReason(there),
                 absl::StrCat(there.message(), ". Nothing was stored and nothing is changed"),
                 "ask again in some seconds: it is created again");
  }
  const MutexLock lock(mutex_);
  stale_ = true;
  return Error(absl::StatusCode::kUnavailable, "change_not_acknowledged",
               absl::StrCat("Kafka has not acknowledged the change: ", written.message(),
                            ". It may have been stored all the same: the connector follows what is "
                            "stored once Kafka answers"),
               "look at the connector's status when Kafka is back, and ask again if need be");
}

std::map<std::string, std::string> Worker::LoggerLevels() const {
  const MutexLock lock(mutex_);
  return loggers_;
}

absl::Status Worker::WriteSession(absl::string_view key) {
  return WriteConfigs({{.key = std::string(kSessionKey),
                        .value = SessionValue(key, parts_.environment.clock->Now())}});
}

absl::Status Worker::WriteLogger(const std::string& logger, const std::string& level) {
  const MutexLock change(change_mutex_);
  return WriteConfigs({{.key = LoggerKey(logger), .value = LoggerValue(level)}});
}

}  // namespace walduct::serve
