// LagBoard: how far behind a connector is, by one definition for all who show it:
//
//   lag is the age of the oldest change that the server has committed and the sink has not
//   acknowledged; 0 when there is none.
//
// What was received is known exactly: the oldest transaction that is not acknowledged whole,
// whether its records are in flight, held for a lock, a schema or room, or unread; its age counts
// from its commit, by the server's clock. The rows of an initial snapshot count from its beginning.
// What waits to be read may be anything: it was committed after what was read last, and after the
// last look that found nothing.
//
// What was not received is known from looks at the server beside the stream. A look finds something
// when the end of the WAL is beyond what is acknowledged, and a transaction that writes has ended
// since the last look that found nothing. What is between the two is so old at most, and never
// younger than the last commit that was acknowledged: that age is taken, so that lag is never said
// to be less than it is, and at most one interval of the looks more. What nobody captures counts
// until the stream has passed it, as it does within a moment; while nothing streams nobody can
// know. WAL that no transaction stands for (checkpoints, running transactions, hint bits) never
// counts.
//
// A few bytes of WAL may be a commit alone, whose changes the stream has passed already, or what no
// transaction stands for. Whoever streams then asks the server for a word; where none comes it
// counts.
//
// When nobody could look for kUnseen, or the server was not reached since, lag counts from the last
// look: unknown is not zero.
//
// Thread-safety: Show, Begin, BeginSnapshot and Streams by the data thread, all but the last
// without a lock; the others by any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>

#include "absl/time/time.h"
#include "base/lsn.h"
#include "base/mutex.h"

namespace walduct::metrics {

class LagBoard {
 public:
  static constexpr absl::Duration kUnseen = absl::Seconds(30);
  // What was found by a look is on its way for so long.
  static constexpr absl::Duration kGrace = absl::Milliseconds(1500);
  // A server that works has said its word by then.
  static constexpr absl::Duration kWord = absl::Seconds(3);

  // Times are of the commit, in microseconds since the Unix epoch.
  struct Progress {
    int64_t oldest_us = 0;  // of what is received and not acknowledged; 0: there is nothing
    int64_t unread_us = 0;  // there is more to read, and this commit was read last; 0: all is read
    Lsn covered;            // everything that ends before is acknowledged; 0/0: as at the beginning
    int64_t complete_us = 0;  // everything that was committed before is; 0: as before
    bool heard = false;       // the server has said something on the stream
  };
  // Once a turn.
  void Show(const Progress& progress, absl::Time now);
  // A session goes on from there: what an earlier one held is read again. Ends a snapshot.
  void Begin(Lsn start, int64_t commit_time_us);
  // The session has ended: what it had not read was a farewell, or comes again.
  void End();
  void BeginSnapshot(absl::Time now);
  // Somebody streams, and asks for a word where it is wanted.
  void Streams(bool streams);
  bool WantsWord() const;

  // The server does not answer, or refuses; until it is heard of again.
  void OnUnreached(absl::Time now) {
    unreached_us_.store(absl::ToUnixMicros(now), std::memory_order_relaxed);
  }
  // From now on somebody is to look. Before, nothing is said of what nobody looked at.
  void Watch(absl::Time now);
  // There is nothing yet that it could be behind of: no slot, and nobody who is about to make one.
  void Forget();
  // Of one that rests: where it goes on from; absent: that was erased on purpose. Beyond what it
  // knows, somebody has moved it: what was held until then is nobody's to publish any more.
  void OnStored(std::optional<Lsn> position);

  // What one look at the server has shown. next_xid was read before wal_end.
  struct Look {
    absl::Time at;
    Lsn wal_end;
    uint64_t next_xid = 0;   // changes when one ends; its low half is behind all that have
    Lsn confirmed;           // by the slot; 0/0: not known
    uint32_t slot_xmin = 0;  // the slot's catalog_xmin; 0: not known
    // More is not written yet: the rest of a record, asynchronous commits.
    bool partial = false;
  };
  void OnLook(const Look& look);

  // What holds on where another board goes on with the same slot: nothing becomes younger because a
  // connector begins anew.
  struct Memory {
    int64_t oldest_us = 0, snapshot_us = 0, complete_us = 0;
    Lsn covered;
    std::optional<Look> baseline, first, last;  // first and last: of those that found something
    std::optional<Look> seen;                   // whatever it has found
  };
  Memory Remember() const;
  // Of a new board, before it is told of anything else.
  void Recall(const Memory& memory);

  // Absent: nobody has looked yet, and there was no time to.
  std::optional<absl::Duration> Read(absl::Time now) const;
  // Since when there is something that the server has not sent; absent: there is nothing.
  std::optional<absl::Time> UnsentSince(absl::Time now) const;

 private:
  int64_t HeldSince() const;
  void Settle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsBehind(const Look& look) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t GapOf(const Look& look) const;
  // Of a few bytes: when they were found, where they end, and since when they may wait.
  struct Slight {
    absl::Time at, since;
    Lsn wal_end;
  };
  // slight_ is there, and nobody has said a word since.
  bool IsOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<int64_t> oldest_us_{0}, unread_us_{0}, snapshot_us_{0}, complete_us_{0};
  std::atomic<int64_t> heard_us_{0}, unreached_us_{0};
  std::atomic<uint64_t> covered_{0};
  mutable Mutex mutex_;
  std::optional<Slight> slight_ ABSL_GUARDED_BY(mutex_);
  bool streams_ ABSL_GUARDED_BY(mutex_) = false;
  // The last one that found nothing; those after it, the oldest first: some are left out.
  mutable std::optional<Look> baseline_ ABSL_GUARDED_BY(mutex_);
  mutable std::deque<Look> found_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Time> watched_since_ ABSL_GUARDED_BY(mutex_);
  std::optional<Look> last_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
