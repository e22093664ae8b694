// What is published for a TOAST value that the server did not send: unavailable.value.placeholder
// in the shape of the type.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "encode/types/type_table.h"

namespace walduct::encode {

// A value that is known before any row: what `plan` reads from `text`.
struct Constant {
  std::string text;
  ValuePlan plan;
};

// Absent: the type has no way to say it. Errors: see md5.h.
absl::StatusOr<std::optional<Constant>> PlaceholderOf(const TypeMapping& mapping,
                                                      absl::string_view placeholder);

// Java's UUID.nameUUIDFromBytes: version 3 without a name space.
absl::StatusOr<std::string> NameBasedUuid(absl::string_view name);

}  // namespace walduct::encode
