// When tables are read whole, and how. Immutable once built.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/time/time.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::snapshot {

enum class SnapshotMode {
  kInitial,
  kNever,
  kNoData,
  kInitialOnly,
  kAlways,
  kWhenNeeded,
  // Of configuration_based, beside kAlways and kNoData.
  kAlwaysOnly,  // tables, and no stream
  kGapsOnly,    // no tables, unless the stored position is gone
  kNothing,     // neither
};

struct SnapshotOptions {
  SnapshotMode mode = SnapshotMode::kInitial;
  std::shared_ptr<const java::RegexList> include_collections;
  std::map<std::string, std::string> select_overrides;  // "schema.table" → SELECT
  bool lock_tables = false;                             // snapshot.locking.mode=shared
  absl::Duration lock_timeout = absl::Seconds(10);
  absl::Duration delay, streaming_delay;
};

}  // namespace walduct::snapshot
