// ChangeHandler: where a source (stream or snapshot) hands over what it read. Called on the data
// thread, in source order. Every argument is borrowed for the call. An error stops the source; the
// change it was returned for is not done with.
#pragma once

#include "absl/status/status.h"
#include "event/change_event.h"

namespace walduct::event {

struct TransactionInfo {
  Lsn final_lsn;  // start of the commit record
  uint64_t xid = 0;
  int64_t commit_time_us = 0;  // since the Unix epoch
};

class ChangeHandler {
 public:
  virtual ~ChangeHandler() = default;
  virtual absl::Status OnBegin(const TransactionInfo& transaction) = 0;
  virtual absl::Status OnChange(const ChangeEvent& change) = 0;
  // boundary: commit_end is this transaction's end LSN, ordinal 0.
  virtual absl::Status OnCommit(const TransactionInfo& transaction, const Position& boundary) = 0;
};

}  // namespace walduct::event
