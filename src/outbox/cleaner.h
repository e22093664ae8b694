// Cleaner: one round of housekeeping. Removes rows that are past the retention and before a fence
// which the caller knows to be acknowledged (fence.h): never a row that has not been published. One
// thread; the session is borrowed and is used for nothing else.
//
// Nor one that may have come before its table was published: a partition attached with rows, a
// table added to the publication with rows while the connector runs. Such rows stay, and
// FailedPrecondition outbox_history says so.
//
//   delete           statements of at most batch_rows rows, each a transaction; rows that others
//                    have locked are passed over
//   drop_partitions  a partition whose upper bound is past the retention, once each of its rows is
//                    before the fence; checked under a lock that keeps writers of that partition
//                    out. Rows in the default partition are deleted as above
//
// Never waits longer than 100 ms for a lock: what is locked is left for the next round. Neither do
// others wait longer for us.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outbox/fence.h"
#include "outbox/tables.h"
#include "postgres/connection.h"

namespace walduct::outbox {

struct Removed {
  uint64_t rows = 0;
  uint64_t partitions = 0;
};

class Cleaner {
 public:
  // All borrowed. stopping ends a round early.
  struct Parts {
    postgres::Connection* connection = nullptr;
    TablesQuery tables;
    postgres::StopCheck stopping;
  };
  explicit Cleaner(Parts parts) : parts_(std::move(parts)) {}

  // Sets the session's lock and statement limits. Once, first.
  absl::Status Prepare();
  // Adds to removed as it goes. A table that fails does not keep the others from being cleaned; the
  // first error is answered: FindLeaves' or the server's; Cancelled when stopped.
  absl::Status Clean(const Fence& acknowledged, Removed* removed);
  // What Clean would remove; changes nothing.
  absl::StatusOr<Removed> Count(const Fence& acknowledged);

 private:
  absl::Status Delete(const Leaf& leaf, const Fence& fence, Removed* removed);
  absl::Status Drop(const Leaf& leaf, const Fence& fence, Removed* removed);
  absl::StatusOr<bool> DropLocked(const Leaf& leaf, const Fence& fence);
  absl::StatusOr<std::string> Ask(absl::string_view sql);  // one row of one column
  absl::Status Do(absl::string_view sql);
  bool Drops(const Leaf& leaf) const;
  std::string Removable(const Leaf& leaf, const Fence& fence) const;
  std::string Due(const Leaf& leaf, const Fence& fence) const;
  // Says so where rows stay because nobody knows whether they were published.
  absl::Status CheckHeldBack(const Leaf& leaf, const std::string& due);

  Parts parts_;
};

}  // namespace walduct::outbox
