// What of a SnapshotState Debezium has no member for, in one of ours: a pause, stops that are not
// carried out yet, how many rows of a table are read, how far one without a key is. Pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "incremental/state.h"

namespace walduct::incremental {

inline constexpr char kOwnMember[] = "walduct_incremental_snapshot";

// JSON; empty: there is nothing.
std::string OwnText(const SnapshotState& state);
// Adds what stands there. InvalidArgument stored_key_malformed.
absl::Status ReadOwn(const std::string& text, SnapshotState* state);

}  // namespace walduct::incremental
