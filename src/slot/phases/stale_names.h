// StaleNames: tables whose rows come under a name that they do not have any more. The server
// announces a table anew that was renamed, but not one whose partitions' rows it sends as its own
// (publish_via_partition_root), and before PostgreSQL 16 none whose schema was renamed: their rows
// come under the old name until the stream ends, and where that is not captured, they are lost.
// Once the stream has passed the look at the catalog that shows the new name, it is to begin anew.
// Data thread only.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "base/lsn.h"
#include "pgoutput/assembler.h"
#include "slot/world/capture/captured_now.h"

namespace walduct::slot {

class StaleNames {
 public:
  void Saw(const CapturedNow& now);
  // Before each batch. Unavailable relation_renamed: there is one. Cheap where nothing was seen.
  absl::Status Check(const pgoutput::Assembler& assembler);
  bool waits() const { return !tables_.empty(); }  // for the stream to come so far

 private:
  std::vector<postgres::TableName> tables_;  // that are captured, as the last look has them
  Lsn seen_at_;
};

}  // namespace walduct::slot
