// When tables are read whole, and how. Immutable once built.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "snapshot/snapshot_mode.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::snapshot {

struct SnapshotOptions {
  SnapshotMode mode = SnapshotMode::kInitial;
  std::shared_ptr<const java::RegexList> include_collections;
  std::map<std::string, std::string> select_overrides;  // "schema.table" → SELECT
  bool lock_tables = false;                             // snapshot.locking.mode=shared
  absl::Duration lock_timeout = absl::Seconds(10);
  absl::Duration delay, streaming_delay;
  size_t threads = 1;                         // sessions that read at the same time
  size_t multiplier = 1;                      // parts of a table for each of them
  std::map<std::string, size_t> multipliers;  // the same by "schema.table"
  bool whole_tables = false;                  // legacy.snapshot.max.threads

  bool resume = false;  // walduct.snapshot.resume
  // Where the rows of the initial snapshot are read; empty: from the server of the stream. An empty
  // port is that server's.
  std::string standby_hostname, standby_port;
  bool reads_standby() const { return !standby_hostname.empty(); }

  bool reads_parts() const {
    return resume || (!whole_tables && (threads > 1 || multiplier > 1 || !multipliers.empty()));
  }
};

}  // namespace walduct::snapshot
