// CommitPoints: where the transactions of a sink may end. Their records become visible at once, so
// they end where transactions of PostgreSQL do. One of those that is longer than LongestOf is
// divided: no change is repeated then, but a reader may see its beginning before its end. The rows
// of a snapshot are never divided: a crash in it leaves none of them, and the next start reads all
// of them again. Data thread only.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "event/position.h"
#include "offset/ack_tracker.h"
#include "sink/transactions.h"

namespace walduct::delivery {

class CommitPoints {
 public:
  // How long one may be open that waits for the end of a transaction of PostgreSQL, when the sink
  // gives it up after timeout.
  static absl::Duration LongestOf(absl::Duration timeout);

  // Both borrowed. transactions: null when the sink has none; nothing may be called then but used,
  // point and MustCommit.
  CommitPoints(sink::SinkTransactions* transactions, const offset::AckTracker* tracker)
      : transactions_(transactions), tracker_(tracker) {}

  bool used() const { return transactions_ != nullptr; }
  // Call it each turn. due: when the open transaction is to end.
  //   FailedPrecondition snapshot_too_long  its transaction would not last
  absl::Status Turn(absl::Duration now, absl::Duration due);
  // Where the open transaction can end now, as of the last Turn.
  std::optional<event::Position> point() const;
  // It is to end, and can.
  bool MustCommit() const { return due_ && point().has_value(); }
  void OnCommitted() {
    since_.reset();
    due_ = false;
  }

 private:
  sink::SinkTransactions* const transactions_;
  const offset::AckTracker* const tracker_;
  std::optional<absl::Duration> since_;  // the open transaction has records
  bool due_ = false;
  bool divides_ = false;
};

}  // namespace walduct::delivery
