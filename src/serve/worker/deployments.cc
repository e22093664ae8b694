#include "serve/worker/deployments.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "serve/assignment/forwarding.h"

namespace walduct::serve {
namespace {

constexpr absl::Duration kSilence = absl::Seconds(5);
// Of more than that the first ones are read again, which costs time and nothing else.
constexpr size_t kMostOwn = 1000;

size_t HashOf(absl::string_view key, std::optional<absl::string_view> value) {
  return absl::HashOf(key, value.has_value(), value.value_or(""));
}

}  // namespace

void Deployment::Configure(ConfigMap now) {
  config = std::move(now);
  const std::string* connector_class = FindValue(config, "connector.class");
  foreign = connector_class == nullptr ||
            (*connector_class != kPostgresClass && *connector_class != "PostgresConnector" &&
             *connector_class != "Postgres");
}

std::vector<std::string> Deployments::Names() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, one] : all_) names.push_back(name);
  return names;
}

bool Deployments::Visit(const std::string& name,
                        const std::function<void(const Deployment&)>& visit) const {
  const MutexLock lock(mutex_);
  const auto found = all_.find(name);
  if (found == all_.end()) return false;
  visit(found->second);
  return true;
}

void Deployments::VisitAll(
    const std::function<void(const std::string&, const Deployment&)>& visit) const {
  const MutexLock lock(mutex_);
  for (const auto& [name, one] : all_) visit(name, one);
}

std::optional<Deployment> Deployments::Find(const std::string& name) const {
  std::optional<Deployment> found;
  Visit(name, [&](const Deployment& one) { found = one; });
  return found;
}

absl::Status Deployments::CheckOwn(const std::string& name) const {
  bool foreign = false;
  if (!Visit(name, [&](const Deployment& one) { foreign = one.foreign; }))
    return absl::NotFoundError(absl::StrCat("Unknown connector ", name));
  if (!foreign) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("Connector ", name, " is not of class ",
                                                    kPostgresClass, ": walduct leaves it alone"));
}

std::optional<Deployments::Wanted> Deployments::WantedOf(const std::string& name) const {
  std::optional<Wanted> wanted;
  Visit(name, [&](const Deployment& one) {
    if (one.foreign) return;
    wanted = {.target = one.target,
              .version = one.version,
              .committed = one.tasks > 0 && one.committed == one.version};
  });
  return wanted;
}

std::map<std::string, std::string> Deployments::LoggerLevels() const {
  const MutexLock lock(mutex_);
  return loggers_;
}

absl::Status Deployments::Create(const std::string& name, const ConfigMap& config,
                                 TargetState target) {
  std::vector<TopicEntry> entries;
  if (target != TargetState::kStarted)
    entries.push_back({.key = TargetKey(name), .value = TargetValue(target)});
  entries.push_back({.key = ConnectorKey(name), .value = ConnectorValue(config)});
  RETURN_IF_ERROR(Write(entries));
  const MutexLock lock(mutex_);
  Deployment& one = all_[name];
  one = {.config = {}, .target = target, .version = next_version_++};
  one.Configure(config);
  return absl::OkStatus();
}

absl::StatusOr<bool> Deployments::SetConfig(const std::string& name, const ConfigMap& config) {
  RETURN_IF_ERROR(Write({{.key = ConnectorKey(name), .value = ConnectorValue(config)}}));
  const MutexLock lock(mutex_);
  Deployment& one = all_[name];
  const bool same = SameConfig(one.config, config);
  one.Configure(config);
  if (!same) one.version = next_version_++;
  return !same;
}

absl::Status Deployments::SetTarget(const std::string& name, TargetState target) {
  std::vector<TopicEntry> entries;
  if (target == TargetState::kStopped)
    entries.push_back({.key = CommitKey(name), .value = CommitValue(0)});
  entries.push_back({.key = TargetKey(name), .value = TargetValue(target)});
  RETURN_IF_ERROR(Write(entries));
  const MutexLock lock(mutex_);
  Deployment& one = all_[name];
  one.target = target;
  if (target == TargetState::kStopped) {
    one.tasks = 0;
    one.committed = 0;
  }
  return absl::OkStatus();
}

absl::Status Deployments::CommitTask(const std::string& name) {
  const std::optional<Deployment> one = Find(name);
  if (!one || one->foreign || one->target != TargetState::kStarted)
    return absl::AbortedError("it was changed meanwhile");
  RETURN_IF_ERROR(Write({{.key = TaskKey(name), .value = TaskValue(one->config)},
                         {.key = CommitKey(name), .value = CommitValue(1)}}));
  const MutexLock lock(mutex_);
  Deployment& now = all_[name];
  now.tasks = 1;
  now.committed = one->version;
  return absl::OkStatus();
}

absl::Status Deployments::Delete(const std::string& name) {
  // A worker of Connect leaves the task's, which has all secrets of the connector's.
  RETURN_IF_ERROR(Write({{.key = ConnectorKey(name), .value = {}},
                         {.key = TargetKey(name), .value = {}},
                         {.key = TaskKey(name), .value = {}}}));
  const MutexLock lock(mutex_);
  all_.erase(name);
  return absl::OkStatus();
}

absl::Status Deployments::CheckMayWrite() const {
  RETURN_IF_ERROR(CheckLeads(*parts_.assignment, parts_.group));
  if (!stale()) return absl::OkStatus();
  return absl::AbortedError(
      "Cannot complete request momentarily due to stale configuration (typically caused by a "
      "concurrent config change)");
}

absl::Status Deployments::Write(const std::vector<TopicEntry>& entries) {
  RETURN_IF_ERROR(CheckMayWrite());
  return Put(entries);
}

absl::Status Deployments::WriteAsMember(const std::vector<TopicEntry>& entries) {
  if (!parts_.assignment->follows()) return Write(entries);
  RETURN_IF_ERROR(parts_.assignment->Confirmed());
  return Put(entries);
}

// Before it is written: it may come back before the write has its answer.
void Deployments::NoteOwn(const std::vector<TopicEntry>& entries) {
  if (!parts_.assignment->follows()) return;
  const MutexLock lock(mutex_);
  for (const TopicEntry& entry : entries) own_.push_back(HashOf(entry.key, entry.value));
  while (own_.size() > kMostOwn) own_.pop_front();
}

// What may not come back must not stand for another one's record that says the same later.
void Deployments::ForgetOwn() {
  const MutexLock lock(mutex_);
  own_.clear();
}

bool Deployments::IsOwn(absl::string_view key, std::optional<absl::string_view> value) {
  const MutexLock lock(mutex_);
  const auto found = std::find(own_.begin(), own_.end(), HashOf(key, value));
  if (found == own_.end()) return false;
  own_.erase(own_.begin(), found + 1);
  return true;
}

absl::Status Deployments::Put(const std::vector<TopicEntry>& entries) {
  NoteOwn(entries);
  const absl::Status written = parts_.topics->Write(InternalTopic::kConfigs, entries);
  if (written.ok()) return written;
  ForgetOwn();
  const absl::Status there = parts_.topics->CheckThere();
  if (ErrorReason(there) == "worker_topic_gone") {
    BeStale(there);
    return Error(absl::StatusCode::kUnavailable, ErrorReason(there),
                 absl::StrCat(there.message(), ". Nothing was stored and nothing is changed"),
                 "ask again in some seconds: it is created again");
  }
  BeStale();
  return Error(absl::StatusCode::kUnavailable, "change_not_acknowledged",
               absl::StrCat("Kafka has not acknowledged the change: ", written.message(),
                            ". It may have been stored all the same: the connector follows what is "
                            "stored once Kafka answers"),
               "look at the connector's status when Kafka is back, and ask again if need be");
}

absl::StatusOr<Deployments::Contents> Deployments::Read() const {
  Contents contents;
  RETURN_IF_ERROR(parts_.topics->Read(
      InternalTopic::kConfigs, [&](absl::string_view key, std::optional<absl::string_view> value) {
        ReadRecord(key, value, &contents);
      }));
  // A target state may be there before its connector, or after it.
  std::erase_if(contents.all, [](const auto& one) { return one.second.config.empty(); });
  return contents;
}

// Keys that are not known are skipped: other workers write more than counts here.
void Deployments::ReadRecord(absl::string_view key, std::optional<absl::string_view> value,
                             Contents* out) {
  const uint64_t version = ++out->records;
  const ConfigRecordName record = NameOfConfigRecord(key);
  if (key == kSessionKey) {
    out->session.reset();
    if (value) out->session.emplace(*value);
  }
  if (record.kind == ConfigRecordKind::kOther) return;
  absl::Status read;
  if (record.kind == ConfigRecordKind::kLogger) {
    if (!value) return;
    const absl::StatusOr<std::string> level = ReadLoggerValue(*value);
    if (level.ok()) out->loggers[record.name] = *level;
    return;
  }
  out->of_connectors = true;
  Deployment& one = out->all[record.name];
  if (record.kind == ConfigRecordKind::kConnector) {
    one.version = version;
    absl::StatusOr<ConfigMap> config = value ? ReadConnectorValue(*value) : ConfigMap();
    read = config.status();
    if (config.ok()) one.Configure(*std::move(config));
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

void Deployments::Take(Contents contents) {
  const MutexLock lock(mutex_);
  for (auto& [name, one] : contents.all) {
    const bool is_committed = one.committed == one.version;
    const auto found = all_.find(name);
    const bool same = found != all_.end() && SameConfig(found->second.config, one.config);
    one.version = same ? found->second.version : next_version_++;
    one.committed = is_committed ? one.version : 0;
  }
  all_ = std::move(contents.all);
  loggers_ = std::move(contents.loggers);
  stale_ = false;
  trouble_ = absl::OkStatus();
}

void Deployments::BeLoaded(bool loaded) {
  const MutexLock lock(mutex_);
  loaded_ = loaded;
  own_.clear();
}

// All that the topic held, as far as it is known here.
std::vector<TopicEntry> Deployments::Entries() const {
  std::vector<TopicEntry> entries;
  for (const auto& [logger, level] : loggers_)
    entries.push_back({.key = LoggerKey(logger), .value = LoggerValue(level)});
  for (const auto& [name, one] : all_) {
    entries.push_back({.key = ConnectorKey(name), .value = ConnectorValue(one.config)});
    // What tasks others have is known to their workers alone.
    if (one.tasks == 1 && one.committed == one.version && !one.foreign) {
      entries.push_back({.key = TaskKey(name), .value = TaskValue(one.config)});
      entries.push_back({.key = CommitKey(name), .value = CommitValue(1)});
    }
    entries.push_back({.key = TargetKey(name), .value = TargetValue(one.target)});
  }
  return entries;
}

// A topic that has lost everything says nothing: who would take that for an order would stop all
// connectors.
absl::Status Deployments::BringBack(Contents* contents, bool* lost) const {
  std::vector<TopicEntry> entries;
  {
    const MutexLock lock(mutex_);
    if (!contents->of_connectors && !all_.empty()) entries = Entries();
  }
  *lost = !entries.empty();
  if (!*lost) return absl::OkStatus();
  RETURN_IF_ERROR(CheckLeads(*parts_.assignment, parts_.group));
  RETURN_IF_ERROR(parts_.topics->Write(InternalTopic::kConfigs, entries));
  ASSIGN_OR_RETURN(*contents, Read());
  if (!contents->of_connectors) {
    return Error(absl::StatusCode::kUnavailable, "worker_topic_empty",
                 "the topic of config.storage.topic has lost its records, and what is written into "
                 "it is not there: the connectors go on as they are, and nothing is changed",
                 "do not stop this process; look whether the topic has cleanup.policy=compact");
  }
  log::Warn(
      "the topic of config.storage.topic had lost its records: what this worker knows was "
      "written into it",
      {{"reason", "worker_topic_empty"}, {"connectors", contents->all.size()}});
  return absl::OkStatus();
}

bool Deployments::loaded() const {
  const MutexLock lock(mutex_);
  return loaded_;
}

bool Deployments::stale() const {
  const MutexLock lock(mutex_);
  return stale_;
}

void Deployments::BeStale(const absl::Status& trouble) {
  const MutexLock lock(mutex_);
  stale_ = true;
  if (!trouble.ok()) trouble_ = trouble;
}

absl::Status Deployments::trouble() const {
  const MutexLock lock(mutex_);
  return trouble_;
}

bool Deployments::silent() const {
  const MutexLock lock(mutex_);
  return parts_.environment.clock->Now() < silent_until_;
}

void Deployments::BeSilent() {
  const MutexLock lock(mutex_);
  silent_until_ = parts_.environment.clock->Now() + kSilence;
}

}  // namespace walduct::serve
