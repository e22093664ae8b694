// RestPosition: where a connector that rests, or retries, would go on from, and whether it could:
// its slot may have been moved meanwhile, by somebody else, or its position be gone. Thread-safe;
// one thread looks, another one reads the offset store, which may take long.
//
// Who reads a slot rightly stores a position first, and confirms it then. So a slot was moved by
// somebody else if it stood, at a look, beyond what is stored after that look. Of a connector that
// was told to rest that is no error while another one reads the slot: it was moved there.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "base/mutex.h"
#include "engine/lifecycle/monitor.h"
#include "offset/stored_offset.h"
#include "replication/watched_slot.h"
#include "slot/world/world.h"

namespace walduct::metrics {
class LagBoard;
class SlotBoard;
}  // namespace walduct::metrics

namespace walduct::slot {

struct RestRules;

// What a start from there would stop with, or would read everything anew for, as far as the slot
// alone tells: position_skipped, position_ahead or lost_slot_held; else OK. Another server is found
// out by a start.
absl::Status JudgeRest(const RestRules& rules, const std::optional<offset::StoredOffset>& stored,
                       const replication::WatchedSlot& look);

// offset_missing: the store has no position, and had one. remembered: this process goes on from it
// all the same.
absl::Status PositionGone(Lsn lsn, bool remembered);

class RestPosition {
 public:
  // What is stored may be changed by hand meanwhile, or be lost. Of one that retries it is read in
  // doubt alone, where this process knows where it stands; else once, while somebody else has its
  // slot.
  static constexpr absl::Duration kAgain = absl::Minutes(1);
  // Where it seems to be of no use, or could not be read, or what was in doubt was right: whoever
  // reads the slot instead moves it on and on.
  static constexpr absl::Duration kSoon = absl::Seconds(30);
  // What is told of one that rests may be mended by hand: it is asked for in its turn.
  static constexpr absl::Duration kTold = absl::Seconds(10);
  // So long at most, for the time doubles each time that it was right.
  static constexpr absl::Duration kLate = absl::Minutes(5);

  // It reads: what is known of it is forgotten.
  void End();
  // It rests or retries; look: of its slot, just now. What is found stands on its board, and in the
  // log, once. ended_at: where this process knows that it stands; absent: it does not.
  void Saw(engine::Monitored& connector, const replication::WatchedSlot& look, absl::Time now,
           std::optional<Lsn> ended_at);
  // The same of the last look, once the store has answered about it.
  void Judge(engine::Monitored& connector, absl::Time now, std::optional<Lsn> ended_at);
  // The store is to be asked; absent: not now. What is in doubt comes first, then what is unknown.
  // Of one that retries, and was in doubt and right before, a doubt is asked for in its turn.
  enum class Due { kAgain, kUnknown, kDoubted };
  std::optional<Due> DueAt(absl::Time now) const;
  absl::Time asked_at() const;  // InfinitePast: not of this rest
  // Waits for the store.
  absl::Status Read(World& world, const engine::ConnectorOptions& config);

  // What was read last, of this rest.
  std::optional<offset::StoredOffset> stored() const;
  // The same tells how far behind it is, where somebody has moved or erased it.
  void TellLag(metrics::LagBoard* lag) const;

 private:
  struct Seen {
    replication::WatchedSlot look;
    absl::Time at;
  };
  void Forget() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsUnread(const RestRules& rules, std::optional<Lsn> ended_at)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WhyNot(const RestRules& rules, std::optional<Lsn> ended_at, bool served) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsProven(const RestRules& rules, const std::string& reason, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Clears(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Clear(metrics::SlotBoard* board, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Tell(engine::Monitored& connector, const RestRules& rules, const absl::Status& why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellGoneOn(engine::Monitored& connector) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  bool looked_at_ ABSL_GUARDED_BY(mutex_) = false;             // it rests or retries
  bool retries_ ABSL_GUARDED_BY(mutex_) = false;               // of those two
  std::string taken_ ABSL_GUARDED_BY(mutex_);                  // slot_in_use, slot_held; or empty
  std::optional<Seen> seen_ ABSL_GUARDED_BY(mutex_);           // the last look
  std::optional<Seen> doubted_ ABSL_GUARDED_BY(mutex_);        // the first that gave cause to doubt
  std::optional<absl::Time> cleared_ ABSL_GUARDED_BY(mutex_);  // when that was found to be right
  absl::Duration patience_ ABSL_GUARDED_BY(mutex_) = kSoon;    // from then on
  bool knows_end_ ABSL_GUARDED_BY(mutex_) = false;             // this process knows where it stands
  std::optional<absl::Time> asked_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Time> read_ ABSL_GUARDED_BY(mutex_);  // as asked_, of what has come
  std::optional<offset::StoredOffset> stored_ ABSL_GUARDED_BY(mutex_);
  std::optional<Lsn> had_ ABSL_GUARDED_BY(mutex_);  // the last that was read
  bool let_go_ ABSL_GUARDED_BY(mutex_) = false;     // it was erased on purpose
  std::string said_ ABSL_GUARDED_BY(mutex_);        // its reason, or kGoneOn
};

}  // namespace walduct::slot
