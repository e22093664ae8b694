// FitProtobuf: whether values of one Protobuf schema may be read by another: what both number has
// the same name, type and label, and messages at the top stand in the same order; comments,
// options, imports and packages do not count. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::registry {

// "Envelope.Value.note": the fields of `own` that `known` lacks, which its readers do not see.
// InvalidArgument: where the two do not agree.
absl::StatusOr<std::vector<std::string>> FitProtobuf(absl::string_view own,
                                                     absl::string_view known);

}  // namespace walduct::registry
