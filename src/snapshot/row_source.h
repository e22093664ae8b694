// RowSource: the rows of a snapshot, read step by step. Seam for simulation and tests; the real one
// is SnapshotReader over COPY.
//
// Thread-safety: one caller, the data thread.
#pragma once

#include "absl/status/statusor.h"
#include "event/change_handler.h"

namespace walduct::snapshot {

class RowSource {
 public:
  virtual ~RowSource() = default;

  enum class Progress {
    kRead,        // more may be there at once
    kWouldBlock,  // wait for ready_fd()
    kDone,        // all rows are with the handler; without any row there was no event
  };
  // Hands up to max_rows to the handler as read events. Not to be called after kDone or an error.
  virtual absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) = 0;
  // -1 when there is nothing to wait for.
  virtual int ready_fd() const = 0;
};

}  // namespace walduct::snapshot
