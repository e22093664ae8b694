// AckTracker: turns acknowledgements that come in any order into the one milestone that is safe to
// settle: everything at or before it is durable in the sink.
//
// Records are tracked in groups, not one by one: a group collects consecutive records up to
// kMaxGroupRecords and remembers the position after its last; its ticket goes with each record into
// the sink. Steady state allocates nothing once the ring has grown to the sink's in-flight limit.
// Not thread-safe: the data thread owns it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "event/position.h"

namespace walduct::delivery {

// A position, and a number that the source gives: what goes with the position is its own affair.
struct Milestone : event::Position {
  uint64_t mark = 0;
};

class AckTracker {
 public:
  static constexpr uint32_t kMaxGroupRecords = 256;

  // Ticket for the next record.
  uint64_t NextTicket();
  // A record was written under the ticket NextTicket gave last. Its position is not safe before
  // Advance covers it.
  void OnWritten();
  // What follows is acknowledged apart from what was written: safe can lie between the two.
  void EndGroup() { ended_ = true; }
  // What is written from here on belongs to no change, until false: it is acknowledged apart from
  // the changes.
  void SetBeside(bool beside) { beside_ = beside; }
  // All records of everything up to position have been written: position becomes safe once they are
  // acknowledged. With nothing in flight it is safe at once. A position behind the safe one (a
  // source that repeats itself) changes nothing.
  void Advance(const event::Position& position);
  // Of every position from here on, also of one that has not moved.
  void SetMark(uint64_t mark) { mark_ = mark; }
  // When what is written from here on was committed, since the Unix epoch; 0: it is no change of
  // the stream.
  void SetCommitTime(int64_t us) { commit_time_us_ = us; }
  void OnAcknowledged(uint64_t ticket, uint32_t count);
  // All that was written under it so far. A ticket that was given.
  bool acknowledged(uint64_t ticket) const {
    if (ticket < first_ticket_) return true;
    const Group& group = groups_[ticket - first_ticket_];
    return group.acknowledged == group.written;
  }

  bool is_beside(uint64_t ticket) const {
    return ticket >= first_ticket_ && groups_[ticket - first_ticket_].beside;
  }
  // No change is in flight, though something is.
  bool only_beside() const { return in_flight_ > 0 && in_flight_ == beside_in_flight_; }

  // The last position with everything at or before it acknowledged; absent until the first.
  const std::optional<Milestone>& safe() const { return safe_; }
  // Behind that: the positions whose own groups are acknowledged, though one before them is not.
  std::vector<event::Position> acknowledged_apart() const;
  // The position that covers all that has been written, acknowledged or not; absent in the middle
  // of a change.
  std::optional<Milestone> complete() const;
  bool idle() const { return in_flight_ == 0; }
  uint64_t in_flight_records() const { return in_flight_; }
  // Of what is not acknowledged, the oldest commit, as far as groups tell it apart; 0: none of it
  // is a change of the stream.
  int64_t oldest_commit_us() const;

 private:
  // Only the last group takes records, and only until it is full.
  struct Group {
    uint32_t written = 0;
    uint32_t acknowledged = 0;
    bool beside = false;
    int64_t commit_time_us = 0;  // of its first change that was written since it was empty
    // safe once this group and all before it are acknowledged
    std::optional<Milestone> milestone;
  };
  void Settle();
  void MakeSafe(const Milestone& milestone);

  std::deque<Group> groups_;
  uint64_t first_ticket_ = 0;  // ticket of groups_.front()
  uint64_t in_flight_ = 0, beside_in_flight_ = 0;
  uint64_t mark_ = 0;
  int64_t commit_time_us_ = 0;
  std::optional<Milestone> safe_;
  bool covered_ = true;  // Advance came after the last OnWritten
  bool ended_ = false;   // the last group takes no more
  bool beside_ = false;  // the next record
};

}  // namespace walduct::delivery
