// HeldCommits: transactions whose commit may have been streamed before this session began, and
// which other sessions do not see yet. A commit is streamed as soon as it is in the WAL and shown
// when a synchronous standby has confirmed it, which may be hours later; a view taken meanwhile is
// older than what was published.
//
// What was streamed since the session began is remembered by IncrementalSnapshots. What was
// streamed before can only be a transaction that runs at the first look: each later look takes away
// of those what is over, and what is seen to be merely open. Once none is left, no look is needed.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "incremental/chunks/chunk.h"
#include "postgres/connection.h"

namespace walduct::incremental {

class HeldCommits {
 public:
  // At most from a commit's place in the WAL to its waiting for the standby, and from the end of
  // that to its being visible.
  static constexpr absl::Duration kMoment = absl::Seconds(1);

  struct Running {
    uint32_t xid = 0;
    std::optional<bool> waits = {};  // for a standby; absent: our role may not know
    bool has_standby = true;         // absent `waits`: whether commits wait at all
  };

  // Looks at the server where that is needed. Not in a transaction; a view taken behind it shows
  // what is not in held().
  absl::Status Look(postgres::Connection& connection, absl::Duration now);
  bool settled() const { return looked_ && held_.empty(); }
  // The same, with what there is to see.
  void Take(const std::vector<Running>& running, absl::Duration now);
  HeldTransactions held() const;

 private:
  struct Held {
    uint32_t xid = 0;
    absl::Duration waited;  // when it was last seen so, or may have been
    bool unknown = false;
  };

  bool looked_ = false;
  std::vector<Held> held_;
};

}  // namespace walduct::incremental
