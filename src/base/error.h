// Errors made at a boundary (server, broker, file, configuration) are absl::Status with
// payloads:
//   reason  a stable id, e.g. "slot_in_use": a metric's label, and the key of the engine's table of
//           errors
//   hint    what the operator should type or change
//   change  where it is of one change of the stream, and leaving that out would help: its
//           event::ChangeId
// Messages never carry a row value or a secret. The meaning of each status code is in
// ARCHITECTURE.md.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct {

// code must not be kOk. An empty hint is allowed.
absl::Status Error(absl::StatusCode code, absl::string_view reason, absl::string_view message,
                   absl::string_view hint = "");

// Empty when the status was not made by Error().
std::string ErrorReason(const absl::Status& status);
std::string ErrorHint(const absl::Status& status);

// Of that change. Empty: of none.
absl::Status WithChange(absl::Status status, absl::string_view change);
std::string ErrorChange(const absl::Status& status);

// Same code, reason, hint and change; "context: message".
absl::Status WithContext(const absl::Status& status, absl::string_view context);

}  // namespace walduct
