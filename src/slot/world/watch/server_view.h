// ServerView: what a look at the server from beside the stream has shown last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/lsn.h"
#include "metrics/slot_board.h"

namespace walduct::slot {

struct ServerView {
  Lsn wal_end;                     // 0/0: not known
  uint64_t retained_bytes = 0;     // WAL kept for the slot
  uint64_t growth_per_second = 0;  // of that, in bytes
  uint64_t safe_bytes = 0;         // until the slot can be lost; 0: no limit, or not known
  // The same as the server says it, below zero when it is too late; absent: no limit, or not known.
  std::optional<int64_t> safe_wal_bytes;
  // "reserved", "extended", "unreserved", "lost", "missing"; empty: not known
  std::string wal_status;
  std::string slot;       // its name
  uint64_t next_xid = 0;  // this and the next four: see replication::WatchedSlot
  bool partial = false;
  Lsn confirmed;
  uint32_t slot_xmin = 0;
  std::string reader;
  absl::Duration looked_at;  // on the monotonic clock
  // What a session waits for that the stream needs: "a lock on table public.t, held by pid 12 (…)".
  std::string lock;
  absl::Duration lock_looked_at;                               // as looked_at, of lock
  std::optional<metrics::OpenTransaction> oldest_transaction;  // see ServerWatch
  bool shutting_down = false;                                  // refuses new sessions
};

// A lock_timeout with the lock of that view, and its age.
absl::Status WithLock(const absl::Status& error, const ServerView& view, Clock& clock);

}  // namespace walduct::slot
