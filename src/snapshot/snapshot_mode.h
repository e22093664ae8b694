// SnapshotMode: when a start reads the tables; what each means is in mode.h.
#pragma once

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

}  // namespace walduct::snapshot
