// The thread of a Worker: what it reads, and in which order the parts take their turns.
#include "serve/worker/worker.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "serve/assignment/forwarding.h"

namespace walduct::serve {
namespace {

// Requests wake it; what connectors do by themselves is looked at as often.
constexpr absl::Duration kLook = absl::Milliseconds(100);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(30);
// Whatever has changed without a word.
constexpr absl::Duration kLookAtAll = absl::Seconds(1);
constexpr absl::Duration kReadAgain = absl::Seconds(5);
// Who follows reads the topics whole, and says in between what runs.
constexpr absl::Duration kReadNews = absl::Milliseconds(300);
constexpr absl::Duration kLookForTopics = absl::Seconds(10);
// Of a topic that is gone, for the leader: some of its looks.
constexpr absl::Duration kLeadersTime = absl::Seconds(30);
// What a new leader owns begins first: a plan and its way through the topic.
constexpr absl::Duration kFirstPlan = absl::Seconds(1);

}  // namespace

Worker::Worker(Parts parts)
    : parts_(std::move(parts)),
      deployments_(parts_),
      runner_(parts_, deployments_),
      statuses_(parts_, deployments_, runner_) {
  parts_.assignment->OnRevoke([this](Assignment::Done done) {
    runner_.Revoke(std::move(done));
    LookAgain();
  });
}

Worker::~Worker() {
  Stop();
  parts_.assignment->OnRevoke(nullptr);
}

void Worker::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Worker::Stop() {
  ends_ = true;
  LookAgain();
  if (thread_.joinable()) thread_.join();
}

void Worker::LookAgain() {
  ++changes_;
  wake_.Signal();
}

void Worker::Run() {
  while (!ends_) {
    wake_.Drain();
    parts_.assignment->Drain();
    Look(parts_.connectors->TakeChanges());
    // Hundreds that begin change all the time: many changes are one look.
    const absl::Duration rests =
        next_all_ - kLookAtAll + kBetweenLooks - parts_.environment.clock->Monotonic();
    if (rests > absl::ZeroDuration())
      parts_.environment.poller->WaitReadable({wake_.fd(), parts_.assignment->fd()}, rests);
    parts_.environment.poller->WaitReadable(
        {wake_.fd(), parts_.assignment->fd(), parts_.connectors->changes_fd()}, kLook);
  }
}

// What rests costs nothing: it changes with the connectors, the topics, the assignment and the
// clock of that.
void Worker::Look(bool all) {
  LookWhetherTopicsAreThere();
  LookWhetherTheyAreStale();
  LookAtSession();
  const absl::Duration now = parts_.environment.clock->Monotonic();
  const Seen seen{.changes = changes_,
                  .generation = parts_.assignment->generation(),
                  .confirmed = parts_.assignment->Confirmed().ok(),
                  .leased = parts_.assignment->HoldsLease()};
  all = all || seen != seen_ || now >= next_all_;
  if (!all && waiting_.empty()) return;
  std::set<std::string> names = std::move(waiting_);
  waiting_.clear();
  if (all) {
    seen_ = seen;
    next_all_ = now + kLookAtAll;
    names = runner_.Names();
    for (std::string& name : deployments_.Names()) names.insert(std::move(name));
  }
  for (const std::string& name : names) {
    if (!runner_.Step(name)) continue;
    // Nothing new begins where another worker may begin it.
    const bool may = !deployments_.silent() && parts_.assignment->Confirmed().ok();
    const bool owned = parts_.assignment->Owns(name);
    if (may && CommitTask(name) && parts_.assignment->Owns(name)) {
      runner_.Begin(name);
    } else if (owned) {
      waiting_.insert(name);
    }
  }
  runner_.CompleteRevocations();
  if (!deployments_.stale() && !deployments_.silent() && parts_.assignment->Confirmed().ok())
    statuses_.Publish();
}

// By the leader, whoever owns the connector. False: not yet.
bool Worker::CommitTask(const std::string& name) {
  if (const auto wanted = deployments_.WantedOf(name); wanted && wanted->committed) return true;
  if (!parts_.assignment->leader().self) return false;
  const MutexLock change(deployments_.changing());
  absl::Status committed = Refresh();
  if (committed.ok()) committed = deployments_.CommitTask(name);
  if (committed.ok()) return true;
  log::Warn(absl::StrCat("connector ", name, " cannot be started yet: ", committed.message()));
  deployments_.BeSilent();
  return false;
}

void Worker::Leave() {
  runner_.CompleteRevocations(/*all=*/true);
  if (parts_.assignment->Confirmed().ok()) statuses_.Leave();
}

absl::Status Worker::Load() {
  RETURN_IF_ERROR(ReadAhead());
  Open();
  return absl::OkStatus();
}

absl::Status Worker::ReadAhead() {
  generation_ = parts_.assignment->reading();
  const uint64_t news = news_;
  ASSIGN_OR_RETURN(Deployments::Contents deployments, deployments_.Read());
  ASSIGN_OR_RETURN(Statuses::Contents statuses, statuses_.Read());
  TakeSession(deployments.session);
  deployments_.Take(std::move(deployments));
  statuses_.Take(std::move(statuses));
  news_read_ = news;
  deployments_.VisitAll([](const std::string& name, const Deployment& one) {
    if (!one.foreign) return;
    const std::string* connector_class = FindValue(one.config, "connector.class");
    log::Warn("a connector of another class is left alone",
              {{"name", name}, {"class", connector_class == nullptr ? "" : *connector_class}});
  });
  return absl::OkStatus();
}

void Worker::Open() {
  deployments_.BeLoaded(true);
  LookAgain();
}

void Worker::Forget() {
  const MutexLock change(deployments_.changing());
  deployments_.BeLoaded(false);
  deployments_.Take({});
  statuses_.Take({});
  LookAgain();
}

// Before a change: what another worker may have written meanwhile counts, and what of ours may have
// been written without an answer.
absl::Status Worker::Refresh() {
  if (parts_.assignment->reading() != generation_ || news_ != news_read_) deployments_.BeStale();
  if (!deployments_.stale()) return absl::OkStatus();
  RETURN_IF_ERROR(parts_.assignment->follows() ? parts_.assignment->Confirmed()
                                               : CheckLeads(*parts_.assignment, parts_.group));
  return ReadAgain();
}

absl::Status Worker::RefreshFor(const std::string& name) {
  RETURN_IF_ERROR(Refresh());
  return deployments_.CheckOwn(name);
}

absl::Status Worker::ReadAgain() {
  if (!deployments_.stale()) return absl::OkStatus();
  generation_ = parts_.assignment->reading();
  const uint64_t news = news_;
  RETURN_IF_ERROR(MayMakeTopics() ? parts_.topics->Prepare() : parts_.topics->CheckThere());
  ASSIGN_OR_RETURN(Deployments::Contents deployments, deployments_.Read());
  ASSIGN_OR_RETURN(Statuses::Contents statuses, statuses_.Read());
  bool lost = false;
  RETURN_IF_ERROR(deployments_.BringBack(&deployments, &lost));
  if (lost) parts_.assignment->TopicWasLost();
  const size_t connectors = deployments.all.size();
  TakeSession(deployments.session);
  deployments_.Take(std::move(deployments));
  statuses_.Take(std::move(statuses), /*again=*/true);
  news_read_ = news;
  LookAgain();
  log::Info("the worker's topics were read again", {{"connectors", connectors}});
  return absl::OkStatus();
}

// What this worker wrote itself it knows. Who leads reads what others wrote, too: a write of the
// leader before it may have been held up until this one had read the topic.
void Worker::FollowConfigs(absl::string_view key, std::optional<absl::string_view> value) {
  if (deployments_.IsOwn(key, value)) return;
  ++news_;
  LookAgain();
}

void Worker::FollowRestart(const std::string& name, absl::string_view value) {
  const absl::StatusOr<RestartAsked> asked = ReadRestartValue(value);
  if (!asked.ok() || !asked->include_tasks) return;
  if (parts_.assignment->leader().self || !parts_.assignment->Owns(name)) return;
  const std::optional<StatusView> view = StatusOf(name);
  if (!view || !view->task || (asked->only_failed && view->task->state != "FAILED")) return;
  RestartNow(name);
}

void Worker::FollowSession(std::optional<absl::string_view> value, bool news) {
  if (parts_.keys == nullptr) return;
  if (!value) {
    parts_.keys->BeLost();
    return;
  }
  absl::StatusOr<access::SessionKey> key = ReadSessionValue(*value);
  if (key.ok()) {
    parts_.keys->Take(*std::move(key), news);
  } else {
    parts_.keys->BeLost();
    log::Warn(absl::StrCat("record ", kSessionKey, " is skipped: ", key.status().message()));
  }
}

// As a topic that was read whole says it. Who follows has been told the same, or something newer.
void Worker::TakeSession(const std::optional<std::string>& value) {
  if (parts_.keys == nullptr) return;
  if (!value) {
    parts_.keys->BeLost();
  } else if (!parts_.assignment->follows()) {
    FollowSession(*value, /*news=*/false);
  }
}

void Worker::FollowStatus(absl::string_view key, std::optional<absl::string_view> value) {
  statuses_.Follow(key, value);
}

std::optional<std::map<std::string, int>> Worker::Weights() const {
  if (!deployments_.loaded() || deployments_.stale() || news_ != news_read_) return std::nullopt;
  std::map<std::string, int> weights;
  deployments_.VisitAll([&weights](const std::string& name, const Deployment& one) {
    if (one.foreign) return;
    int lanes = 1;
    const std::string* const slots = FindValue(one.config, "walduct.slots");
    weights[name] = slots != nullptr && absl::SimpleAtoi(*slots, &lanes) && lanes > 0 ? lanes : 1;
  });
  return weights;
}

absl::Status Worker::TopicsTrouble() const {
  absl::Status trouble = deployments_.trouble();
  if (!trouble.ok()) return trouble;
  const MutexLock lock(mutex_);
  return settings_trouble_;
}

// Who leads writes into it what it held, and has to see that it was gone: a topic that another one
// has made anew meanwhile is there, and empty. Without a leader somebody makes it.
bool Worker::MayMakeTopics() const {
  if (!parts_.assignment->follows() || parts_.assignment->leader().self) return true;
  const absl::Duration now = parts_.environment.clock->Monotonic();
  const MutexLock lock(mutex_);
  return !gone_since_ || now - *gone_since_ >= kLeadersTime;
}

// By the thread; also without the seat, which goes with the topic.
void Worker::LookWhetherTopicsAreThere() {
  const absl::Duration now = parts_.environment.clock->Monotonic();
  if (now < next_look_) return;
  next_look_ = now + kLookForTopics;
  if (!deployments_.loaded() || !CheckReachable().ok()) return;
  const absl::Status there = parts_.topics->CheckThere();
  const bool gone = ErrorReason(there) == "worker_topic_gone";
  {
    const MutexLock lock(mutex_);
    settings_trouble_ =
        ErrorReason(there) == "internal_topic_not_compacted" ? there : absl::OkStatus();
    if (!gone) {
      gone_since_.reset();
    } else if (!gone_since_) {
      gone_since_ = now;
    }
  }
  if (!gone) return;
  log::Warn(there.message(), {{"reason", ErrorReason(there)}, {"hint", ErrorHint(there)}});
  deployments_.BeStale(there);
  if (!MayMakeTopics()) return;
  if (absl::Status created = parts_.topics->Prepare(); !created.ok()) {
    log::Warn(created.message(), {{"reason", ErrorReason(created)}, {"hint", ErrorHint(created)}});
    next_look_ = now + kReadAgain;
  }
}

// By the thread.
void Worker::LookAtSession() {
  if (!deployments_.loaded() || deployments_.stale() || deployments_.silent() ||
      !parts_.assignment->Confirmed().ok())
    return;
  const absl::Status renewed = RenewSession();
  if (renewed.ok()) return;
  log::Warn(absl::StrCat("the key that workers sign with is not renewed: ", renewed.message()),
            {{"reason", ErrorReason(renewed)}, {"hint", ErrorHint(renewed)}});
  deployments_.BeSilent();
}

// By the thread. However fast configurations change, there is time to say what runs.
bool Worker::IsNewsDue() {
  const absl::Duration now = parts_.environment.clock->Monotonic();
  if (news_ == news_read_ || now < next_news_) return false;
  next_news_ = now + kReadNews;
  return true;
}

// By the thread. Who follows knows what others have written, and a request of a client reads all
// again at once (Refresh): the thread does it when what the worker has just got runs.
bool Worker::IsLeadersReadingDue() {
  const bool leads_anew = parts_.assignment->reading() != generation_;
  const absl::Duration now = parts_.environment.clock->Monotonic();
  if (!leads_anew) {
    leads_since_.reset();
  } else if (!leads_since_) {
    leads_since_ = now;
  }
  return leads_anew && (!parts_.assignment->follows() || now - *leads_since_ >= kFirstPlan);
}

// By the thread. A moment that nobody confirms may have been another worker's, and what another one
// owned it may have changed.
void Worker::LookWhetherTheyAreStale() {
  const bool confirmed = parts_.assignment->Confirmed().ok();
  if (!deployments_.loaded()) return;
  if (!confirmed || IsLeadersReadingDue() || IsNewsDue()) deployments_.BeStale();
  if (!confirmed || !deployments_.stale() || deployments_.silent()) return;
  const MutexLock change(deployments_.changing());
  const absl::Status read = ReadAgain();
  if (read.ok()) return;
  log::Warn(absl::StrCat("the worker's topics cannot be read: ", read.message()),
            {{"reason", ErrorReason(read)}, {"hint", ErrorHint(read)}});
  deployments_.BeStale(read);
  deployments_.BeSilent();
}

}  // namespace walduct::serve
