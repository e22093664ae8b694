// What a member of a group knows of the group's seat, and what follows from it. Pure.
//
// A seat that is not ours at the moment is no seat that somebody else has: a member that hears no
// broker for the session's time loses it by its own clock. So who has it is asked of the brokers.
//
//   kOurs         this member may write.
//   kHoldOn       nobody has said that it is another's. What runs may go on and starts nothing new:
//                 Kafka is away, or is about to give the seat back.
//   kTaken        a broker has answered that another member has it, or members of another kind:
//                 what runs has to end.
//   kMayBeTaken   no broker answers, and there were other members when one did: this one may be cut
//                 off alone, and another may have the seat. What runs has to end, so that the other
//                 one gets the slots. A member that was alone never comes here.
//
// The seat keeps two workers apart as a rule, and no more than that: between the end of a session
// and the end of what ran there both may run the same connector. What keeps two readers of one slot
// apart is the slot and its lock (replication/slot_lock.h), and with exactly once the transactional
// id. So a verdict that comes late costs time, never a record.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::kafka {

// One of the group, as the coordinator lists it.
struct GroupMember {
  std::string client;  // its client.id
  bool self = false;
  std::string host = {};  // as the broker sees it

  bool operator==(const GroupMember&) const = default;
};

struct SeatView {
  bool held = false;
  // When that changed last, on the monotonic clock; the beginning, at first.
  absl::Duration held_since = {};
  // Whether the group's coordinator has answered the last question, and since when it has not. Also
  // while the seat is held: that ends only with the session.
  bool answered = false;
  absl::Duration silent_since = {};
  // By the last answer:
  int others = 0;           // further members
  std::string holder = {};  // which of them has the seat, for people; empty: none
  std::vector<GroupMember> members = {};
  // When the last question was asked whose answer listed this member; never: not yet.
  absl::Duration listed_at = -absl::InfiniteDuration();
  bool foreign = false;  // the group has members of another kind
  // What was said last that is no answer, or why the seat will not be given.
  absl::Status error = {};
};

// The part of it that says whether a member may work at all.
struct MemberLease {
  absl::Duration listed_at = -absl::InfiniteDuration();
  int others = 0;
};

enum class SeatVerdict { kOurs, kHoldOn, kTaken, kMayBeTaken };

// So long without a seat and without an answer: less than others try to get the slot
// (slot.max.retries), more than the election of a new coordinator takes.
inline constexpr absl::Duration kMayBeTakenAfter = absl::Seconds(30);

SeatVerdict JudgeSeat(const SeatView& view, absl::Duration now);

// Since when nobody answers, where a question has failed just now: since the first sign of it. What
// is older than the last answer is of an earlier outage.
struct Silence {
  absl::Duration now;
  absl::Duration answered;  // last
  absl::Duration trouble;   // the first error of a connection since then; infinite: none
  absl::Duration lost;      // when the seat went; now, while it is held
};
absl::Duration SilentSince(const Silence& silence);

// Of members that work beside each other: kOurs is that this one may work, as a member that was
// listed less than the lease ago, or that was alone. A holder that shares is named by a URL.
// serves: it works already; else it holds on until it is listed, and as long as a member of another
// host has its address.
SeatVerdict JudgeShare(const SeatView& view, absl::Duration now, absl::Duration lease, bool serves);

// Another member has this one's client.id, on another host. Of the same host it is the one before
// this one, whose listener is gone.
bool HasTwin(const SeatView& view);

// Whether an assignment has the topic's first partition. In the form in which consumers leave it
// with the group's coordinator; what has another form has no partition.
bool AssignsSeat(absl::string_view assignment, absl::string_view topic);

}  // namespace walduct::kafka
