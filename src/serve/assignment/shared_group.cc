#include "serve/assignment/shared_group.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "kafka/group/group_seat.h"
#include "serve/topics/topic_formats.h"

namespace walduct::serve {
namespace {

bool IsUrl(absl::string_view client) { return absl::StrContains(client, "://"); }

std::string UrlOfHolder(const kafka::SeatView& view) {
  return view.holder.substr(0, view.holder.find(' '));
}

}  // namespace

std::string WorkerOfUrl(absl::string_view url) {
  const size_t scheme = url.find("://");
  return std::string(scheme == absl::string_view::npos ? url : url.substr(scheme + 3));
}

bool SharedGroup::HoldsLease(const kafka::SeatView& view) const {
  const absl::Duration now = parts_.environment.clock->Monotonic();
  return view.others == 0 || now - view.listed_at < kafka::GroupSeat::kLease;
}

// The clock is asked each time: a process that stood still knows it at once.
bool SharedGroup::Owns(absl::string_view connector) const {
  {
    const MutexLock lock(mutex_);
    if (!serves_ || (!all_ && !owned_.contains(connector))) return false;
  }
  return HoldsLease(parts_.view());
}

absl::Status SharedGroup::Confirmed() const { return parts_.confirmed(); }

Assignment::Leader SharedGroup::leader() const {
  const kafka::SeatView view = parts_.view();
  const MutexLock lock(mutex_);
  const bool self = view.held && leads_ && HoldsLease(view);
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
  const auto found = plan_.shares.find(connector);
  Elsewhere where;
  const auto since = unowned_since_.find(connector);
  const std::string when =
      since == unowned_since_.end()
          ? ""
          : absl::StrCat(" since ", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", since->second,
                                                     absl::UTCTimeZone()));
  if (found == plan_.shares.end()) {
    where.why = absl::StrCat("no worker runs it", when, ": the leader has not given it to one yet");
    return where;
  }
  const Share& share = found->second;
  where.url = share.worker;
  where.worker = WorkerOfUrl(share.worker);
  const bool member = absl::c_any_of(
      view.members, [&](const kafka::GroupMember& one) { return one.client == share.worker; });
  if (!member) {
    where.why = absl::StrCat("no worker runs it", when, ": ", where.worker,
                             " is no member of the group any more; the leader gives it to another");
  } else if (!Released(std::string(connector), share)) {
    where.why = absl::StrCat("no worker runs it", when, ": it moves to ", where.worker, ", once ",
                             WorkerOfUrl(share.from), " has ended it");
  } else {
    where.runs = true;
  }
  return where;
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
      return;
    }
    plan_ = *std::move(plan);
  }
  Look();
}

void SharedGroup::TakeStatus(absl::string_view key, std::optional<absl::string_view> value) {
  const std::optional<StatusName> name = NameOfStatus(key);
  if (!name || name->of_task) return;
  {
    const MutexLock lock(mutex_);
    if (value) {
      const absl::StatusOr<StatusSaid> said = ReadStatusValue(*value);
      if (!said.ok()) return;
      said_[name->connector] = {
          .state = said->state, .worker = said->worker_id, .generation = said->generation};
    } else {
      said_.erase(name->connector);
    }
  }
  if (caught_up_) Look();
}

// What is owned by what is known now; tells of what has changed.
void SharedGroup::Look() {
  const MutexLock look(looking_);
  const kafka::SeatView view = parts_.view();
  const bool member = HoldsLease(view);
  bool more = false, less = false;
  {
    const MutexLock lock(mutex_);
    const bool sees = view.held || absl::c_any_of(view.members, [&](const auto& one) {
                        return one.client == plan_.leader;
                      });
    trusted_ = trusted_ || (plan_.epoch > 0 && sees);
    const bool works = serves_ && member;
    const bool leads = works && view.held;
    if (leads != std::exchange(leads_, leads)) {
      ++reading_;
      more = true;
    }
    const bool all = works && view.held && view.others == 0 && plan_.epoch == 0;
    std::set<std::string, std::less<>> owned;
    for (const auto& [name, share] : plan_.shares) {
      const bool mine = share.worker == parts_.url && Released(name, share);
      if (works && trusted_ && mine) owned.insert(name);
      if (Released(name, share)) {
        unowned_since_.erase(name);
      } else {
        unowned_since_.try_emplace(name, parts_.environment.clock->Now());
      }
    }
    // From alone to a plan: what the plan gives here was owned before.
    less = (all_ && !all) ||
           absl::c_any_of(owned_, [&](const auto& name) { return !owned.contains(name); });
    more = more || (all && !all_) ||
           absl::c_any_of(owned, [&](const auto& name) { return !owned_.contains(name); });
    all_ = all;
    owned_ = std::move(owned);
  }
  if (less) {
    Revoke([] {});
  } else if (more) {
    Changed();
  }
}

void SharedGroup::Turn(bool serves) {
  {
    const MutexLock lock(mutex_);
    if (serves != serves_) {
      serves_ = serves;
      if (!serves) trusted_ = false;
    }
  }
  Look();
  const kafka::SeatView view = parts_.view();
  if (serves && caught_up_ && view.held && leader().self && Confirmed().ok()) WritePlan(view);
}

void SharedGroup::WritePlan(const kafka::SeatView& view) {
  const auto weights = parts_.weights ? parts_.weights() : std::nullopt;
  if (!weights) return;
  PlanNeeds needs{
      .leader = parts_.url, .members = {parts_.url}, .weights = *weights, .released = {}};
  for (const kafka::GroupMember& one : view.members)
    if (IsUrl(one.client)) needs.members.insert(one.client);
  SharePlan next;
  {
    const MutexLock lock(mutex_);
    SharePlan now = plan_;
    if (now.epoch == 0) {
      if (needs.members.size() == 1) return;
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
    next = NextPlan(now, needs);
    if (next.epoch == plan_.epoch) {
      if (!overwritten_) return;
      ++next.epoch;
    }
    overwritten_ = false;
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
  TakePlan(next.Text());
}

}  // namespace walduct::serve
