// SinkTransactions: the side of a sink whose target can make records and a position durable at
// once, so that a restart from that position repeats none of them.
//
//   Begin ─► Write … ─► StartCommit(position) ─► PollCommit OK ─► Begin …
//                  └──► Abort ─────────────────────────────────► Begin …
//
// What is written between Begin and a commit that has answered OK appears to readers of committed
// records together with the position, after anything else nothing of it does: an Abort, an error,
// the end of the process. Records are acknowledged with the commit of their transaction, by the
// next Poll; Flush pushes the open one out and commits nothing. Outside of a transaction Write
// answers FailedPrecondition.
//
// One writer: a sink that is opened takes the transactions over from every earlier one of the same
// connector. The open transaction of such a one is aborted, and all its calls answer Aborted
// "fenced" for good; none of its records appears afterwards.
//
// Thread-safety: that of the sink, one caller. Nothing here waits but Abort.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "event/record.h"

namespace walduct::sink {

class SinkTransactions {
 public:
  virtual ~SinkTransactions() = default;

  // Opens a transaction. None may be open.
  virtual absl::Status Begin() = 0;

  // Ends the open transaction with the record that says which position it reaches, copied. To be
  // followed by PollCommit until that has answered; nothing may be written meanwhile.
  virtual absl::Status StartCommit(const event::Record& position) = 0;

  // Absent while the commit is under way; OK once records and position are durable and visible. An
  // error breaks the sink: whether the transaction took effect, the target tells the next sink.
  virtual std::optional<absl::Status> PollCommit() = 0;

  // Gives the open transaction up, with all its records; waits up to 10 s for the target.
  virtual absl::Status Abort() = 0;
};

}  // namespace walduct::sink
