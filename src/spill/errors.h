// The errors of this room, with what to type.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::spill {

// FailedPrecondition "spill_full": the disk has no room.
absl::Status FullError(absl::string_view directory, absl::string_view why);
// FailedPrecondition "spill_full": the limit is reached; bytes are there, of so many transactions.
absl::Status LimitError(uint64_t bytes, uint64_t max_bytes, size_t files);
// FailedPrecondition "spill_unwritable".
absl::Status UnwritableError(absl::string_view directory, absl::string_view why);
// Unavailable "spill_unreadable": what was kept is lost; the server sends it again to a new stream.
absl::Status UnreadableError(absl::string_view why);

}  // namespace walduct::spill
