// Just enough JSON to look into values that the encoder itself has written: compact, valid. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::transform {

// The value of a member of the object; empty when it is no object or has no such member.
absl::string_view JsonMember(absl::string_view object, absl::string_view member);

// The values of an array, as JSON; empty when it is no array.
std::vector<absl::string_view> JsonItems(absl::string_view array);

// The text of a JSON string, appended to *out. False: not a string.
bool JsonText(absl::string_view json, std::string* out);

}  // namespace walduct::transform
