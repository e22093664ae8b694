// RowSource: the rows of a snapshot, read step by step. Seam for simulation and tests; the real one
// is SnapshotReader over COPY.
//
// Thread-safety: one caller, the data thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "event/change_handler.h"
#include "snapshot/row_marker.h"

namespace walduct::snapshot {

// Told of the tables of a snapshot, in order.
class TableListener {
 public:
  virtual ~TableListener() = default;
  // names: "schema.table" of all of them; index: which one.
  virtual absl::Status OnTableBegin(const std::vector<std::string>& names, size_t index) = 0;
  virtual absl::Status OnTableEnd(const std::vector<std::string>& names, size_t index,
                                  uint64_t rows) = 0;
  // Of each part, where tables are read in parts: between the table's beginning and its end.
  virtual absl::Status OnPartBegin(const std::vector<std::string>&, const PartPlace&) {
    return absl::OkStatus();
  }
  virtual absl::Status OnPartEnd(const std::vector<std::string>&, const PartPlace&) {
    return absl::OkStatus();
  }
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  enum class Progress {
    kRead,        // more may be there at once
    kWouldBlock,  // wait for ready_fd()
    kPutOff,      // no row was read: a table is locked, and comes again; step on
    kDone,        // all rows are with the handler; without any row there was no event
  };
  // Hands up to max_rows to the handler as read events. Not to be called after kDone or an error.
  virtual absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) = 0;
  // Borrowed; told from now on.
  virtual void SetListener(TableListener*) {}
  // -1 when there is nothing to wait for.
  virtual int ready_fd() const = 0;
};

}  // namespace walduct::snapshot
