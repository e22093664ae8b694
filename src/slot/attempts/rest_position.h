// RestPosition: where a connector that rests would go on from, and whether it could: its slot may
// have been moved meanwhile, by somebody else, or its position be gone. Thread-safe; one thread
// looks, another one reads the offset store, which may take long.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "base/mutex.h"
#include "engine/lifecycle/monitor.h"
#include "offset/stored_offset.h"
#include "replication/watched_slot.h"
#include "slot/world/world.h"

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
  // What is stored may be changed by hand meanwhile, or be lost.
  static constexpr absl::Duration kAgain = absl::Minutes(1);
  // Where it seems to be of no use, or could not be read.
  static constexpr absl::Duration kSoon = absl::Seconds(30);

  // It does not rest: what is known of it is forgotten.
  void End();
  // It rests; look: of its slot. What is found stands on its board, and in the log, once.
  // ended_at: where this process knows that it stands; absent: it does not.
  void Saw(engine::Monitored& connector, const replication::WatchedSlot& look, absl::Time now,
           std::optional<Lsn> ended_at);
  // The store is to be asked; absent: not now. What is in doubt comes first, then what is unknown.
  enum class Due { kAgain, kUnknown, kDoubted };
  std::optional<Due> DueAt(absl::Time now) const;
  absl::Time asked_at() const;  // InfinitePast: not of this rest
  // Waits for the store.
  absl::Status Read(World& world, const engine::ConnectorOptions& config);

  // What was read last, of this rest.
  std::optional<offset::StoredOffset> stored() const;

 private:
  void Forget() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Judge(const RestRules& rules, const replication::WatchedSlot& look,
                     std::optional<Lsn> ended_at, bool served) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  bool rests_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Time> doubted_ ABSL_GUARDED_BY(mutex_);  // since that look
  std::optional<absl::Time> asked_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Time> read_ ABSL_GUARDED_BY(mutex_);  // as asked_, of what has come
  std::optional<offset::StoredOffset> stored_ ABSL_GUARDED_BY(mutex_);
  std::optional<Lsn> had_ ABSL_GUARDED_BY(mutex_);  // the last that was read
  bool let_go_ ABSL_GUARDED_BY(mutex_) = false;     // it was erased on purpose
  std::string said_ ABSL_GUARDED_BY(mutex_);        // its message
};

}  // namespace walduct::slot
