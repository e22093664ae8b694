// CommitPoints: has a source's Settler settle what the sink has taken: up to the safe milestone,
// or, where a sink has transactions, up to where one may end. Their records become visible at once,
// so they end where transactions of PostgreSQL do. One of those that is longer than LongestOf is
// divided: no change is repeated then, but a reader may see its beginning before its end. The rows
// of a snapshot are never divided: a crash in it leaves none of them, and the next start reads all
// of them again. Data thread only.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "delivery/settling/ack_tracker.h"
#include "delivery/settling/settler.h"
#include "sink/transactions.h"

namespace walduct::delivery {

class CommitPoints {
 public:
  // How long one may be open that waits for the end of a transaction of PostgreSQL, when the sink
  // gives it up after timeout.
  static absl::Duration LongestOf(absl::Duration timeout);

  // All borrowed. transactions: null when the sink has none.
  CommitPoints(sink::SinkTransactions* transactions, AckTracker* tracker, Settler* settler)
      : transactions_(transactions), tracker_(tracker), settler_(settler) {}

  bool used() const { return transactions_ != nullptr; }
  // Call it each turn. True: a transaction of the sink has ended; its acknowledgements are to be
  // taken before anything else is written.
  //   FailedPrecondition snapshot_too_long  its transaction would not last
  //   or what the settler says
  absl::StatusOr<bool> Settle(absl::Duration now);
  // All is settled that can be: what an open transaction holds beyond the last place where it may
  // end is given up.
  bool Settled() const;
  void OnAcknowledged(uint64_t ticket, uint32_t count);
  // Where the open transaction can end now, as of the last Settle.
  std::optional<Milestone> point() const;
  // It is to end, and can.
  bool MustCommit() const { return due_ && point().has_value(); }

 private:
  absl::Status Judge(absl::Duration now);

  sink::SinkTransactions* const transactions_;
  AckTracker* const tracker_;
  Settler* const settler_;
  std::optional<absl::Duration> since_;  // the open transaction has records
  bool due_ = false;
  bool divides_ = false;
};

}  // namespace walduct::delivery
