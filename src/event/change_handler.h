// ChangeHandler: where a source (stream or snapshot) hands over what it read. Called on the data
// thread, in source order. Every argument is borrowed for the call. An error stops the source; the
// change it was returned for is not done with.
#pragma once

#include "absl/status/status.h"
#include "event/change_event.h"

namespace walduct::event {

struct TransactionInfo {
  Lsn begin_lsn;  // where the stream announced it; 0/0 when it came from another origin
  Lsn final_lsn;  // start of the commit record
  uint64_t xid = 0;
  int64_t commit_time_us = 0;  // since the Unix epoch
  bool resumed = false;        // its first changes were handed over before a restart
};

class ChangeHandler {
 public:
  virtual ~ChangeHandler() = default;
  virtual absl::Status OnBegin(const TransactionInfo& transaction) = 0;
  virtual absl::Status OnChange(const ChangeEvent& change) = 0;
  // A change of a resumed transaction that was handed over before the restart: for handlers that
  // count changes.
  virtual absl::Status OnRepeated(const ChangeEvent&) { return absl::OkStatus(); }
  // boundary: commit_end is this transaction's end LSN, ordinal 0.
  virtual absl::Status OnCommit(const TransactionInfo& transaction, const Position& boundary) = 0;
};

}  // namespace walduct::event
