// SinkTransactions: the side of a sink whose target can make records and a position durable at
// once, so that a restart from that position repeats none of them.
//
//   TakeOver ─► Begin ─► Write … ─► StartCommit(position) ─► PollCommit OK ─► Begin …
//                           └──► Abort ──────────────────────────────────► Begin …
//
// What is written between Begin and a commit that has answered OK appears to readers of committed
// records together with the position, after anything else nothing of it does: an Abort, an error,
// the end of the process. Records are acknowledged with the commit of their transaction, by the
// next Poll; Flush pushes the open one out and commits nothing. While a commit is under way Write
// answers ResourceExhausted, outside of a transaction FailedPrecondition.
//
// One writer: TakeOver takes the transactions over from every earlier sink of the same connector.
// The open transaction of such a one is aborted, and all its calls answer FailedPrecondition
// "fenced" for good; none of its records appears afterwards.
//
// Thread-safety: that of the sink, one caller. Nothing here waits but TakeOver and Abort, and, once
// and for a moment, a sink that breaks because records were refused, to learn which.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "event/record.h"

namespace walduct::sink {

class SinkTransactions {
 public:
  virtual ~SinkTransactions() = default;

  // To be called first, once it is sure that no other instance is at work. Afterwards all that
  // earlier ones have committed can be read. Waits up to Sink::kPrepareTimeout.
  virtual absl::Status TakeOver() = 0;

  // Opens a transaction. None may be open.
  virtual absl::Status Begin() = 0;

  // Ends the open transaction with the record that says which position it reaches, copied. To be
  // followed by PollCommit until that has answered; nothing may be written meanwhile.
  virtual absl::Status StartCommit(const event::Record& position) = 0;

  // Absent while the commit is under way; OK once records and position are durable and visible. An
  // error breaks the sink: whether the transaction took effect, the target tells the next sink.
  virtual std::optional<absl::Status> PollCommit() = 0;

  // A record is on its way of which its writer has not been told: it is not to be committed now.
  virtual bool undecided() const { return false; }

  // Gives the open transaction up, with all its records, so that readers need not wait for its end.
  // Waits up to the timeout for the target, which otherwise does it later.
  virtual absl::Status Abort(absl::Duration timeout) = 0;

  // The target gives up by itself what is open for so long, and the sink with it: Unavailable
  // transaction_expired.
  virtual absl::Duration timeout() const = 0;
};

}  // namespace walduct::sink
