// What is published for a TOAST value that the server did not send: unavailable.value.placeholder
// in the shape of the type.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "encode/types/type_table.h"

namespace walduct::encode {

// As PostgreSQL would print it. Absent: the type has no way to say it.
std::optional<std::string> PlaceholderText(const TypeMapping& mapping,
                                           absl::string_view placeholder);

// How PlaceholderText's text is written: as the type's values are, or as bare text.
ValuePlan PlaceholderPlan(const TypeMapping& mapping);

// Arrays of integers and dates: the bytes of the placeholder as numbers, "[95,95,…]", outside the
// type's own range of texts.
std::optional<std::string> PlaceholderNumbers(const TypeMapping& mapping,
                                              absl::string_view placeholder);

// Java's UUID.nameUUIDFromBytes: version 3 without a name space.
std::string NameBasedUuid(absl::string_view name);

}  // namespace walduct::encode
