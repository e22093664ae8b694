// What a start does, from the snapshot mode and the stored offset: Debezium's snapshot modes and
// its check of the stored position (BaseSourceTask.validateLogPosition, snapshot/mode/*). Pure.
//
//   mode           snapshot when                                   streams
//   initial        no offset, or the last snapshot was cut short   yes
//   initial_only   the same                                        no
//   always         every start                                     yes, from the new snapshot
//   no_data        never                                           yes
//   never          as no_data: removed from Debezium, kept as its alias for old configurations
//   when_needed    as initial, and when the stored position is gone from the server
//   configuration_based, by its flags:
//     data, stream            as always
//     data                    every start                            no
//     stream                  as no_data
//     stream, on.data.error   when the stored position is gone       yes
//     none                    never                                  no
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "snapshot/snapshot_mode.h"

namespace walduct::snapshot {

enum class OffsetState {
  kNone,             // nothing stored
  kSnapshotRunning,  // a snapshot began and did not reach its end
  kStreaming,        // streaming, or a snapshot that was completed
};

struct StartFacts {
  SnapshotMode mode = SnapshotMode::kInitial;
  OffsetState offset = OffsetState::kNone;
  // The slot exists and still holds the WAL after the stored position. True as well when that is
  // not to be checked (offset.mismatch.strategy trusts the slot). Only looked at for kStreaming.
  bool position_available = true;
  std::string stored_position_text;  // for the error: "LSN 0/16B3748"
};

struct StartDecision {
  bool snapshot = false;
  bool stream = false;          // neither: nothing is left to do (initial_only, done before)
  bool discard_offset = false;  // the stored position must not be resumed from
};

// Errors, FailedPrecondition:
//   snapshot_interrupted  the last snapshot was cut short and the mode takes none
//   position_lost         the stored position is gone and the mode is not when_needed
absl::StatusOr<StartDecision> DecideStart(const StartFacts& facts);

// Whether a position that is of no use is answered with a snapshot: when_needed.
bool FillsGaps(SnapshotMode mode);
bool Streams(SnapshotMode mode);

}  // namespace walduct::snapshot
