#include "serve/assignment/shared_group.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "serve/topics/topic_formats.h"

namespace walduct::serve {
namespace {

constexpr size_t kMoves = 20;  // that are kept
// A plan that was written and does not come back.
constexpr absl::Duration kWriteAgain = absl::Seconds(5);
// What comes with time alone: a hand-over that takes too long, a plan that did not come back.
constexpr absl::Duration kTurnAgain = absl::Seconds(1);

bool IsUrl(absl::string_view client) { return absl::StrContains(client, "://"); }

std::string UrlOfHolder(const kafka::SeatView& view) {
  return view.holder.substr(0, view.holder.find(' '));
}

bool IsMember(const kafka::SeatView& view, absl::string_view url) {
  return absl::c_any_of(view.members,
                        [&](const kafka::GroupMember& one) { return one.client == url; });
}

}  // namespace

std::string WorkerOfUrl(absl::string_view url) {
  const size_t scheme = url.find("://");
  return std::string(scheme == absl::string_view::npos ? url : url.substr(scheme + 3));
}

bool SharedGroup::HoldsLease() const {
  kafka::MemberLease lease;
  if (parts_.lease) {
    lease = parts_.lease();
  } else {
    const kafka::SeatView view = parts_.view();
    lease = {.listed_at = view.listed_at, .others = view.others};
  }
  const bool listed = lease.listed_at > -absl::InfiniteDuration();
  const absl::Duration now = parts_.environment.clock->Monotonic();
  return (listed && lease.others == 0) || now - lease.listed_at < parts_.timing.lease();
}

// The clock is asked each time: a process that stood still knows it at once.
bool SharedGroup::Owns(absl::string_view connector) const {
  {
    const MutexLock lock(mutex_);
    if (!serves_ || (!all_ && !owned_.contains(connector))) return false;
  }
  return HoldsLease();
}

absl::Status SharedGroup::Confirmed() const { return parts_.confirmed(); }

Assignment::Leader SharedGroup::leader() const {
  const kafka::SeatView view = parts_.view();
  const MutexLock lock(mutex_);
  const bool self = view.held && leads_ && HoldsLease();
  const std::string url = self || view.held ? "" : UrlOfHolder(view);
  return {.self = self, .worker = WorkerOfUrl(url), .url = url};
}

bool SharedGroup::SpeaksFor(absl::string_view connector) const {
  if (Owns(connector)) return true;
  const MutexLock lock(mutex_);
  return leads_ && serves_ && plan_.shares.find(connector) == plan_.shares.end();
}

bool SharedGroup::Released(const std::string& name, const Share& share) const {
  if (share.from.empty()) return true;
  const auto late = overdue_.find(name);
  if (late != overdue_.end() && late->second == share.since) return true;
  const auto found = said_.find(name);
  if (found == said_.end() || found->second.generation < share.since) return false;
  const Said& said = found->second;
  return said.worker == WorkerOfUrl(share.worker) ||
         (said.worker == WorkerOfUrl(share.from) && said.state == "UNASSIGNED");
}

std::map<std::string, int64_t> SharedGroup::Leaving() const {
  const MutexLock lock(mutex_);
  std::map<std::string, int64_t> leaving;
  for (const auto& [name, share] : plan_.shares)
    if (share.from == parts_.url && !Released(name, share)) leaving[name] = share.since;
  return leaving;
}

int64_t SharedGroup::GenerationOf(absl::string_view connector) const {
  const MutexLock lock(mutex_);
  const auto found = plan_.shares.find(connector);
  return found == plan_.shares.end() ? std::max<int64_t>(plan_.epoch, 1) : found->second.since;
}

std::optional<Assignment::Elsewhere> SharedGroup::WhereIs(absl::string_view connector) const {
  if (Owns(connector)) return std::nullopt;
  const kafka::SeatView view = parts_.view();
  const MutexLock lock(mutex_);
  return PlaceOf(std::string(connector), view);
}

Assignment::Elsewhere SharedGroup::PlaceOf(const std::string& name,
                                           const kafka::SeatView& view) const {
  Elsewhere where;
  const auto since = unowned_.find(name);
  const std::string when =
      since == unowned_.end()
          ? ""
          : absl::StrCat(" since ", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", since->second.at,
                                                     absl::UTCTimeZone()));
  const auto found = plan_.shares.find(name);
  if (found == plan_.shares.end()) {
    where.runs = all_;
    where.worker = all_ ? WorkerOfUrl(parts_.url) : "";
    where.why = absl::StrCat("no worker runs it", when, ": the leader has not given it to one yet");
    return where;
  }
  const Share& share = found->second;
  where.url = share.worker;
  where.worker = WorkerOfUrl(share.worker);
  if (!IsMember(view, share.worker)) {
    where.why = absl::StrCat("no worker runs it", when, ": ", where.worker,
                             " is no member of the group any more; the leader gives it to another");
  } else if (!Released(name, share)) {
    where.why = absl::StrCat("no worker runs it", when, ": it moves to ", where.worker, ", once ",
                             WorkerOfUrl(share.from), " has ended it, or after ",
                             absl::FormatDuration(kHandOver));
  } else {
    where.runs = true;
  }
  return where;
}

admin::GroupView SharedGroup::View() const {
  const kafka::SeatView view = parts_.view();
  const std::string leads = view.held ? parts_.url : UrlOfHolder(view);
  const MutexLock lock(mutex_);
  admin::GroupView group{.epoch = plan_.epoch,
                         .workers = {},
                         .unassigned = {},
                         .moves = {moves_.begin(), moves_.end()},
                         .moved = moved_};
  std::map<std::string, std::vector<std::string>> connectors;  // by URL
  for (const kafka::GroupMember& one : view.members)
    if (IsUrl(one.client)) connectors.try_emplace(one.client);
  for (const auto& [name, share] : plan_.shares) connectors[share.worker].push_back(name);
  for (const auto& [url, names] : connectors)
    group.workers.push_back({.address = WorkerOfUrl(url),
                             .connectors = static_cast<int>(names.size()),
                             .names = names,
                             .self = url == parts_.url,
                             .leads = url == leads,
                             .member = IsMember(view, url)});
  for (const auto& [name, unowned] : unowned_) {
    Elsewhere place = PlaceOf(name, view);
    if (!place.runs)
      group.unassigned.push_back({.name = name, .since = unowned.at, .why = std::move(place.why)});
  }
  return group;
}

void SharedGroup::NoteUnowned(const std::string& name, bool unowned) {
  if (!unowned) {
    unowned_.erase(name);
  } else {
    Clock& clock = *parts_.environment.clock;
    unowned_.try_emplace(name, Unowned{.at = clock.Now(), .since = clock.Monotonic()});
  }
}

// Whoever joins would know of no plan, and a leader among them begin to count epochs anew.
void SharedGroup::TopicWasLost() {
  const MutexLock lock(mutex_);
  overwritten_ = overwritten_ || plan_.epoch > 0;
  told_ = true;
}

// Its former worker lives and does not say that it ended.
void SharedGroup::TakeOver(const std::string& name, const Share& share) {
  const auto since = unowned_.find(name);
  const absl::Duration now = parts_.environment.clock->Monotonic();
  if (since == unowned_.end() || now - since->second.since < kHandOver) return;
  overdue_[name] = share.since;
  log::Warn("a connector is taken over although its former worker has not said that it ended",
            {{"connector", name},
             {"from", WorkerOfUrl(share.from)},
             {"after", absl::FormatDuration(kHandOver)},
             {"hint", "see that worker's log; its slot is waited for, if it still has it"}});
}

void SharedGroup::NoteDropped(const SharePlan& next) {
  const absl::Duration now = parts_.environment.clock->Monotonic();
  for (const auto& [name, share] : plan_.shares) {
    const bool comes = said_.contains(name) && !Released(name, share);
    dropped_[name] = {.worker = comes ? share.from : share.worker, .at = now};
  }
  std::erase_if(dropped_, [&](const auto& one) {
    return next.shares.contains(one.first) || now - one.second.at >= kHandOver;
  });
}

void SharedGroup::NoteMoves(const SharePlan& next) {
  for (const auto& [name, share] : next.shares) {
    const auto before = plan_.shares.find(name);
    if (before == plan_.shares.end() || before->second.worker == share.worker) continue;
    const std::string why = share.from.empty() ? "worker_gone" : "evened_out";
    ++moved_[why];
    moves_.push_front({.at = parts_.environment.clock->Now(),
                       .connector = name,
                       .from = WorkerOfUrl(before->second.worker),
                       .to = WorkerOfUrl(share.worker),
                       .why = why});
  }
  if (moves_.size() > kMoves) moves_.resize(kMoves);
}

// Epochs only grow. Of two plans of one epoch the first counts, for everybody; the topic keeps the
// other one, so the leader writes its own again.
void SharedGroup::TakePlan(absl::string_view value, bool news) {
  absl::StatusOr<SharePlan> plan = SharePlan::Parse(value);
  if (!plan.ok()) {
    log::Warn(absl::StrCat("record ", kAssignmentKey, " is skipped: ", plan.status().message()));
    return;
  }
  {
    const MutexLock lock(mutex_);
    if (plan->epoch <= plan_.epoch) {
      const bool own = plan->leader == plan_.leader && plan->shares == plan_.shares;
      overwritten_ = overwritten_ || (news && !own);
      told_ = true;
      return;
    }
    if (news) NoteMoves(*plan);
    NoteDropped(*plan);
    plan_ = *std::move(plan);
    told_ = true;
  }
  Look();
  // Somebody may wait for an end here, of what this worker has not owned.
  if (news) Changed();
}

void SharedGroup::TakeStatus(absl::string_view key, std::optional<absl::string_view> value) {
  const std::optional<StatusName> name = NameOfStatus(key);
  if (!name || name->of_task) return;
  bool ends = false;
  {
    const MutexLock lock(mutex_);
    if (value) {
      const absl::StatusOr<StatusSaid> read = ReadStatusValue(*value);
      if (!read.ok()) return;
      Said said{.state = read->state, .worker = read->worker_id, .generation = read->generation};
      ends = caught_up_ && Ends(name->connector, said);
      said_[name->connector] = std::move(said);
    } else {
      said_.erase(name->connector);
    }
    told_ = true;
  }
  if (ends && parts_.ends_soon) parts_.ends_soon();
  if (caught_up_) Look();
}

// Who has a connector that does not move says so only when it ends itself.
bool SharedGroup::Ends(const std::string& name, const Said& said) const {
  const auto found = plan_.shares.find(name);
  return found != plan_.shares.end() && said.state == "UNASSIGNED" &&
         found->second.worker != parts_.url && said.worker == WorkerOfUrl(found->second.worker);
}

// What is owned by what is known now; tells of what has changed.
void SharedGroup::Look() {
  const MutexLock look(looking_);
  const kafka::SeatView view = parts_.view();
  const bool member = HoldsLease();
  bool more = false, less = false;
  {
    const MutexLock lock(mutex_);
    const bool sees = view.held || IsMember(view, plan_.leader);
    trusted_ = trusted_ || (plan_.epoch > 0 && sees);
    const bool works = serves_ && member;
    const bool leads = works && view.held;
    if (leads != std::exchange(leads_, leads)) {
      ++reading_;
      more = true;
    }
    // Until its first plan has come back, too; and without the seat, which ends with the session
    // while no broker answers.
    const bool alone = view.others == 0;
    const bool all = works && plan_.epoch == 0 && (view.held ? alone || all_ : alone && all_);
    std::set<std::string, std::less<>> owned;
    for (const auto& [name, share] : plan_.shares) {
      const bool here = share.worker == parts_.url;
      if (here && works && trusted_ && !Released(name, share)) TakeOver(name, share);
      const bool released = Released(name, share);
      if (here && released && works && trusted_) owned.insert(name);
      NoteUnowned(name, !released || !IsMember(view, share.worker));
    }
    // From alone to a plan: what the plan gives here was owned before.
    less = (all_ && !all) || !std::ranges::includes(owned, owned_);
    more = more || (all && !all_) || !std::ranges::includes(owned_, owned);
    if (all) unowned_.clear();
    all_ = all;
    owned_ = std::move(owned);
  }
  if (less) {
    Revoke([] {});
  } else if (more) {
    Changed();
  }
}

// What the leader has not given to a worker yet, and what is not there any more.
void SharedGroup::LookForNew() {
  const auto weights = parts_.weights ? parts_.weights() : std::nullopt;
  if (!weights) return;
  const MutexLock lock(mutex_);
  for (const auto& [name, weight] : *weights)
    if (!all_ && !plan_.shares.contains(name)) NoteUnowned(name, true);
  const auto is_over = [&](const auto& one) { return !weights->contains(one.first); };
  std::erase_if(unowned_, is_over);
  std::erase_if(overdue_, is_over);
}

// Most times nothing is new, of however many connectors.
bool SharedGroup::IsTurnDue(bool serves, const kafka::SeatView& view) {
  const absl::Duration now = parts_.environment.clock->Monotonic();
  Seen seen{.serves = serves,
            .held = view.held,
            .listed = view.listed_at >= view.held_since,
            .member = HoldsLease(),
            .confirmed = Confirmed().ok(),
            .holder = view.holder,
            .members = view.members,
            .changes = parts_.changes ? parts_.changes() : 0};
  const bool told = told_.exchange(false);
  if (parts_.changes && !told && now < next_turn_ && seen == seen_) return false;
  seen_ = std::move(seen);
  next_turn_ = now + kTurnAgain;
  return true;
}

void SharedGroup::Turn(bool serves) {
  const kafka::SeatView view = parts_.view();
  if (!IsTurnDue(serves, view)) return;
  {
    const MutexLock lock(mutex_);
    if (serves != serves_) {
      serves_ = serves;
      if (!serves) trusted_ = false;
    }
  }
  Look();
  LookForNew();
  if (serves && caught_up_ && view.held && leader().self && Confirmed().ok()) WritePlan(view);
}

void SharedGroup::HandOver() {
  const kafka::SeatView view = parts_.view();
  const bool leads = caught_up_ && view.held && leader().self && Confirmed().ok();
  if (leads && view.others > 0) WritePlan(view, /*leaves=*/true);
}

// It counts for this worker, too, only as the topic says it: another leader's of the same epoch may
// be there before it.
void SharedGroup::WritePlan(const kafka::SeatView& view, bool leaves) {
  // Who has just got the seat knows by the next answer which member is gone.
  if (view.others > 0 && view.listed_at < view.held_since) return;
  Clock& clock = *parts_.environment.clock;
  const auto weights = parts_.weights ? parts_.weights() : std::nullopt;
  if (!weights) return;
  PlanNeeds needs{.leader = parts_.url, .members = {}, .weights = *weights, .released = {}};
  if (!leaves) needs.members.insert(parts_.url);
  for (const kafka::GroupMember& one : view.members)
    if (IsUrl(one.client) && (!leaves || one.client != parts_.url))
      needs.members.insert(one.client);
  if (needs.members.empty()) return;
  SharePlan next;
  {
    const MutexLock lock(mutex_);
    if (plan_.epoch < written_epoch_ && clock.Monotonic() < write_again_) return;
    SharePlan now = plan_;
    if (now.epoch == 0) {
      if (needs.members.size() == 1 && !leaves) return;
      // What this worker has run alone. No state that was ever written is of the first epoch.
      now.epoch = 1;
      for (const auto& [name, said] : said_) now.epoch = std::max(now.epoch, said.generation);
      for (const auto& [name, weight] : needs.weights)
        now.shares[name] = {.worker = parts_.url, .since = 1};
    }
    needs.released = [this](const std::string& name, const Share& share) {
      mutex_.AssertHeld();
      return Released(name, share);
    };
    for (const auto& [name, dropped] : dropped_) needs.last[name] = dropped.worker;
    next = NextPlan(now, needs);
    if (next.epoch == plan_.epoch) {
      if (!overwritten_) return;
      ++next.epoch;
    }
    overwritten_ = false;
    written_epoch_ = next.epoch;
    write_again_ = clock.Monotonic() + kWriteAgain;
  }
  const absl::Status written = parts_.topics->Write(
      InternalTopic::kConfigs, {{.key = std::string(kAssignmentKey), .value = next.Text()}});
  if (!written.ok()) {
    log::Warn(absl::StrCat("who runs what cannot be written: ", written.message()));
    return;
  }
  log::Info("connectors are shared out", {{"epoch", next.epoch},
                                          {"connectors", next.shares.size()},
                                          {"workers", absl::StrJoin(needs.members, ", ")}});
}

}  // namespace walduct::serve
