#include "delivery/settling/ack_tracker.h"

#include "base/check.h"

namespace walduct::delivery {

uint64_t AckTracker::NextTicket() {
  const bool full = groups_.empty() || groups_.back().written == kMaxGroupRecords;
  const bool apart = !full && (ended_ || groups_.back().beside != beside_);
  if (full || (apart && groups_.back().written > 0)) groups_.emplace_back();
  groups_.back().beside = beside_;
  ended_ = false;
  return first_ticket_ + groups_.size() - 1;
}

void AckTracker::OnWritten() {
  CHECK(!groups_.empty() && groups_.back().written < kMaxGroupRecords);
  Group& group = groups_.back();
  if (group.commit_time_us == 0) group.commit_time_us = commit_time_us_;
  ++group.written;
  ++in_flight_;
  if (group.beside) ++beside_in_flight_;
  covered_ = false;
}

void AckTracker::Advance(const event::Position& position) {
  covered_ = true;
  if (in_flight_ == 0) {
    MakeSafe({position, mark_});
    return;
  }
  // Everything up to here lies in the groups so far, the last of which may have no record yet.
  groups_.back().milestone = {position, mark_};
}

std::optional<Milestone> AckTracker::complete() const {
  if (!covered_) return std::nullopt;
  // The last group may be the next record's, which is not written yet.
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    if (group->milestone) return group->milestone;
    if (group->written > 0) break;
  }
  return safe_;
}

std::vector<event::Position> AckTracker::acknowledged_apart() const {
  std::vector<event::Position> apart;
  for (const Group& group : groups_) {
    if (group.milestone && !group.beside && group.written > 0 &&
        group.acknowledged == group.written)
      apart.push_back(*group.milestone);
  }
  return apart;
}

void AckTracker::OnAcknowledged(uint64_t ticket, uint32_t count) {
  CHECK(ticket >= first_ticket_ && ticket - first_ticket_ < groups_.size());
  Group& group = groups_[ticket - first_ticket_];
  CHECK(count <= group.written - group.acknowledged);
  group.acknowledged += count;
  in_flight_ -= count;
  if (group.beside) beside_in_flight_ -= count;
  Settle();
}

// The last group stays even when all of it is acknowledged: its ticket may have been given out for
// the next record.
void AckTracker::Settle() {
  while (!groups_.empty()) {
    Group& group = groups_.front();
    if (group.acknowledged < group.written) return;
    if (group.milestone) MakeSafe(*group.milestone);
    group.commit_time_us = 0;
    group.milestone.reset();
    if (groups_.size() == 1 && group.written < kMaxGroupRecords) return;
    groups_.pop_front();
    ++first_ticket_;
  }
}

int64_t AckTracker::oldest_commit_us() const {
  if (idle()) return 0;
  for (const Group& group : groups_) {
    if (group.acknowledged < group.written && group.commit_time_us != 0)
      return group.commit_time_us;
  }
  return 0;
}

// After a reconnect the source repeats what lies behind the safe position: that changes nothing.
void AckTracker::MakeSafe(const Milestone& milestone) {
  if (!safe_ || *safe_ <= milestone) safe_ = milestone;
}

}  // namespace walduct::delivery
