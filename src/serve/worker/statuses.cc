#include "serve/worker/statuses.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::serve {
namespace {

// Without anything that has changed here: whose connectors it speaks for may have.
constexpr absl::Duration kPublishAgain = absl::Seconds(1);

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

std::optional<StatusView> Statuses::Find(const std::string& name) const {
  if (const auto where = parts_.assignment->WhereIs(name)) {
    // Not while the deployments are held: what is said here is looked at before them elsewhere.
    const std::optional<Deployment> one = deployments_.Find(name);
    if (!one) return std::nullopt;
    if (!one->foreign) return ElsewhereView(name, *one, *where);
  }
  std::optional<StatusView> view;
  deployments_.Visit(name, [&](const Deployment& one) { view = ViewOf(name, one); });
  return view;
}

// Of another worker's what that one says, as long as it is the one that runs it.
StatusView Statuses::ElsewhereView(const std::string& name, const Deployment& one,
                                   const Assignment::Elsewhere& where) const {
  StatusView view{.name = name,
                  .state = std::string(WordOf(one.target)),
                  .trace = {},
                  .worker_id = where.worker.empty() ? parts_.worker_id : where.worker,
                  .version = parts_.version,
                  .task = {}};
  const auto said = [this](const std::string& key) -> std::optional<StatusSaid> {
    const MutexLock lock(mutex_);
    const auto found = statuses_.find(key);
    if (found == statuses_.end()) return std::nullopt;
    absl::StatusOr<StatusSaid> read = ReadStatusValue(found->second);
    return read.ok() ? std::optional(*std::move(read)) : std::nullopt;
  };
  const std::optional<StatusSaid> connector = said(ConnectorStatusKey(name));
  const std::optional<StatusSaid> task = said(TaskStatusKey(name));
  const bool counts = where.runs && connector && connector->worker_id == where.worker;
  if (counts) {
    view.state = connector->state;
    view.trace = connector->trace;
    if (!connector->version.empty()) view.version = connector->version;
  } else if (one.target != TargetState::kStopped) {
    view.state = "UNASSIGNED";
    view.trace = where.why.empty() ? absl::StrCat("it is starting on ", where.worker) : where.why;
  }
  if (counts && task && task->worker_id == where.worker) {
    view.task = TaskView{.state = task->state, .trace = task->trace};
  } else if (one.tasks > 0) {
    view.task = TaskView{.state = "UNASSIGNED", .trace = counts ? "" : view.trace};
  }
  return view;
}

void Statuses::Follow(absl::string_view key, std::optional<absl::string_view> value) {
  const auto topic = NameOfTopicStatus(key);
  if (!topic && !NameOfStatus(key)) return;
  if (value && !topic) {
    const absl::StatusOr<StatusSaid> said = ReadStatusValue(*value);
    if (said.ok() && said->worker_id == parts_.worker_id) return;
  }
  TopicEntry entry{.key = std::string(key), .value = {}};
  if (value) entry.value = std::string(*value);
  const MutexLock lock(mutex_);
  FollowNow(entry);
  if (reads_) followed_.push_back(std::move(entry));
}

void Statuses::FollowNow(const TopicEntry& entry) {
  changed_ = true;
  if (writing_.contains(entry.key)) overtaken_.insert(entry.key);
  if (const auto topic = NameOfTopicStatus(entry.key)) {
    std::set<std::string>& names = topics_[topic->first].names;
    if (entry.value) {
      names.insert(topic->second);
    } else {
      names.erase(topic->second);
    }
  } else if (entry.value) {
    statuses_[entry.key] = *entry.value;
  } else {
    statuses_.erase(entry.key);
  }
}

// Who has it next waits for that. Once: a second time would come behind what that one says.
void Statuses::AddLeaving(Entries* entries) const {
  const auto leaving = parts_.assignment->Leaving();
  if (leaving.empty()) return;
  const std::set<std::string> running = runner_.Names();
  for (const auto& [name, generation] : leaving) {
    if (running.contains(name)) continue;
    const std::string value = StatusValue({.state = "UNASSIGNED", .trace = {}, .version = {}},
                                          parts_.worker_id, generation);
    const MutexLock lock(mutex_);
    const auto said = statuses_.find(ConnectorStatusKey(name));
    const bool again = repeated_.contains(ConnectorStatusKey(name));
    if (said != statuses_.end() && said->second == value && !again) continue;
    (*entries)[TaskStatusKey(name)] = value;
    (*entries)[ConnectorStatusKey(name)] = value;
  }
}

StatusView Statuses::ViewOf(const std::string& name, const Deployment& one) const {
  StatusView view{.name = name,
                  .state = std::string(WordOf(one.target)),
                  .trace = {},
                  .worker_id = parts_.worker_id,
                  .version = parts_.version,
                  .task = {}};
  if (one.foreign) {
    view.state = "UNASSIGNED";
    view.trace = absl::StrCat("walduct runs ", kPostgresClass, " alone; this one is left alone");
    view.version = "";
    return view;
  }
  view.task = runner_.TaskOf(name, one);
  return view;
}

std::vector<Statuses::Own> Statuses::OwnViews() const {
  std::vector<Own> views;
  deployments_.VisitAll([&](const std::string& name, const Deployment& one) {
    if (one.foreign || !parts_.assignment->Owns(name)) return;
    views.push_back(
        {.view = ViewOf(name, one), .generation = parts_.assignment->GenerationOf(name)});
  });
  return views;
}

Statuses::Entries Statuses::EntriesOf(const std::vector<Own>& views) const {
  Entries entries;
  for (const auto& [view, generation] : views) {
    entries[ConnectorStatusKey(view.name)] =
        StatusValue({.state = view.state, .trace = view.trace, .version = view.version},
                    parts_.worker_id, generation);
    if (!view.task) continue;
    const bool unassigned = view.task->state == "UNASSIGNED";
    entries[TaskStatusKey(view.name)] = StatusValue({.state = view.task->state,
                                                     .trace = view.task->trace,
                                                     .version = unassigned ? "" : view.version},
                                                    parts_.worker_id, generation);
  }
  return entries;
}

bool Statuses::TakeChanged() {
  const MutexLock lock(mutex_);
  return std::exchange(changed_, false);
}

// Most times nothing is new, of however many connectors.
void Statuses::Publish() {
  WriteTopics();
  std::vector<Own> views = OwnViews();
  const absl::Duration now = parts_.environment.clock->Monotonic();
  const bool changed = TakeChanged();
  if (!changed && now < publish_again_ && views == published_ &&
      parts_.assignment->Leaving().empty())
    return;
  Entries entries = EntriesOf(views);
  published_ = std::move(views);
  publish_again_ = now + kPublishAgain;
  AddLeaving(&entries);
  Write(entries);
}

void Statuses::Leave() {
  Entries entries = EntriesOf(OwnViews());
  for (auto& [key, value] : entries) {
    const std::string name = NameOfStatus(key).value_or(StatusName()).connector;
    value = StatusValue({.state = "UNASSIGNED", .trace = {}, .version = {}}, parts_.worker_id,
                        parts_.assignment->GenerationOf(name));
  }
  Write(entries);
}

void Statuses::Write(const Entries& entries) {
  std::vector<TopicEntry> changes;
  {
    const MutexLock lock(mutex_);
    for (const auto& [key, value] : entries) {
      const auto found = statuses_.find(key);
      if (found == statuses_.end() || found->second != value || repeated_.contains(key))
        changes.push_back({.key = key, .value = value});
    }
    repeated_.clear();
    // Of what is not there any more. Of other classes, and of what others own, they say it.
    for (const auto& [key, value] : statuses_) {
      if (entries.contains(key)) continue;
      const std::string name = NameOfStatus(key).value_or(StatusName()).connector;
      const bool foreign = absl::IsFailedPrecondition(deployments_.CheckOwn(name));
      if (!foreign && parts_.assignment->SpeaksFor(name))
        changes.push_back({.key = key, .value = {}});
    }
    for (const TopicEntry& change : changes) writing_.insert(change.key);
  }
  if (changes.empty()) return;
  const absl::Status written = parts_.topics->Write(InternalTopic::kStatus, changes);
  const MutexLock lock(mutex_);
  const std::set<std::string> overtaken = std::exchange(overtaken_, {});
  writing_.clear();
  if (!written.ok()) {
    for (const TopicEntry& change : changes) repeated_.insert(change.key);
    changed_ = true;
    return BeSilent("states of connectors cannot be written", written);
  }
  for (const TopicEntry& change : changes) {
    if (overtaken.contains(change.key)) {
      repeated_.insert(change.key);
      changed_ = true;
    } else if (change.value) {
      statuses_[change.key] = *change.value;
    } else {
      statuses_.erase(change.key);
    }
  }
}

void Statuses::Repeat(const std::string& name, bool of_connector, bool of_task) {
  const MutexLock lock(mutex_);
  for (const auto& [asked, key] : {std::pair(of_connector, ConnectorStatusKey(name)),
                                   std::pair(of_task, TaskStatusKey(name))}) {
    if (asked && statuses_.contains(key)) repeated_.insert(key);
  }
  changed_ = true;
}

void Statuses::BeSilent(absl::string_view what, const absl::Status& written) {
  log::Warn(absl::StrCat(what, ": ", written.message()));
  deployments_.BeSilent();
}

std::set<std::string> Statuses::TopicsOf(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = topics_.find(name);
  return found == topics_.end() ? std::set<std::string>() : found->second.names;
}

absl::Status Statuses::ResetTopics(const std::string& name) {
  CollectTopics();
  std::vector<TopicEntry> entries;
  {
    const MutexLock lock(mutex_);
    const auto found = topics_.find(name);
    if (found == topics_.end()) return absl::OkStatus();
    for (const std::string& topic : found->second.names)
      entries.push_back({.key = TopicStatusKey(name, topic), .value = {}});
    topics_.erase(found);
  }
  if (entries.empty()) return absl::OkStatus();
  return parts_.topics->Write(InternalTopic::kStatus, entries);
}

// Not while a reset or a deletion takes topics away: theirs is the last word.
void Statuses::WriteTopics() {
  CollectTopics();
  if (NewTopics().empty()) return;
  const MutexLock change(deployments_.changing());
  const auto topics = NewTopics();
  if (topics.empty()) return;
  std::vector<TopicEntry> entries;
  for (const auto& [name, topic] : topics) {
    entries.push_back({.key = TopicStatusKey(name, topic),
                       .value = TopicStatusValue(name, topic, parts_.environment.clock->Now())});
  }
  const absl::Status written = parts_.topics->Write(InternalTopic::kStatus, entries);
  if (!written.ok()) return BeSilent("topics of connectors cannot be written", written);
  const MutexLock lock(mutex_);
  for (const auto& [name, topic] : topics) {
    topics_[name].names.insert(topic);
    topics_[name].unwritten.erase(topic);
  }
}

void Statuses::CollectTopics() {
  auto topics = runner_.TakeTopics();
  const MutexLock lock(mutex_);
  for (auto& [name, topic] : topics) {
    if (!deployments_.WantedOf(name)) continue;
    ActiveTopics& active = topics_[name];
    if (!active.names.contains(topic)) active.unwritten.insert(std::move(topic));
  }
}

std::vector<std::pair<std::string, std::string>> Statuses::NewTopics() const {
  const MutexLock lock(mutex_);
  std::vector<std::pair<std::string, std::string>> topics;
  for (const auto& [name, active] : topics_) {
    if (!active.unwritten.empty() && !deployments_.WantedOf(name)) continue;
    for (const std::string& topic : active.unwritten) topics.emplace_back(name, topic);
  }
  return topics;
}

absl::StatusOr<Statuses::Contents> Statuses::Read() {
  {
    const MutexLock lock(mutex_);
    reads_ = true;
    followed_.clear();
  }
  Contents contents;
  RETURN_IF_ERROR(parts_.topics->Read(
      InternalTopic::kStatus, [&](absl::string_view key, std::optional<absl::string_view> value) {
        if (const auto topic = NameOfTopicStatus(key)) {
          ActiveTopics& active = contents.topics[topic->first];
          if (value) {
            active.names.insert(topic->second);
          } else {
            active.names.erase(topic->second);
          }
        } else if (NameOfStatus(key)) {
          if (value) {
            contents.statuses[std::string(key)] = std::string(*value);
          } else {
            contents.statuses.erase(std::string(key));
          }
        }
      }));
  return contents;
}

void Statuses::Take(Contents contents, bool again) {
  const MutexLock lock(mutex_);
  // States are written whenever they miss.
  const bool lost =
      again && contents.statuses.empty() && contents.topics.empty() && !statuses_.empty();
  for (auto& [name, before] : topics_) {
    if (lost) before.unwritten.insert(before.names.begin(), before.names.end());
    ActiveTopics& active = contents.topics[name];
    for (const std::string& topic : before.unwritten)
      if (!active.names.contains(topic)) active.unwritten.insert(topic);
  }
  changed_ = true;
  statuses_ = std::move(contents.statuses);
  overtaken_ = writing_;
  topics_ = std::move(contents.topics);
  // May be older than what was read, and what is newer is told later then.
  for (const TopicEntry& entry : followed_) FollowNow(entry);
  followed_.clear();
  reads_ = false;
}

}  // namespace walduct::serve
