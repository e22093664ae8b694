// The text that a value was before it became JSON. Pure.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::sink {

// Of a string, also with its schema around it. Absent: it is something else.
std::optional<std::string> StringIn(absl::string_view json);
// The same, or the value's JSON without its schema. "": null.
std::string TextWithoutJson(absl::string_view json);

}  // namespace walduct::sink
