// Just enough JSON to look into values that the encoder itself has written: compact, valid. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::transform {

// The value of a member of the object; empty when it is no object or has no such member.
absl::string_view JsonMember(absl::string_view object, absl::string_view member);

// The values of an array, as JSON; empty when it is no array.
std::vector<absl::string_view> JsonItems(absl::string_view array);

// Names (as JSON) and values of an object; empty when it is none.
std::vector<std::pair<absl::string_view, absl::string_view>> JsonMembers(absl::string_view object);

// The text of a JSON string, appended to *out. False: not a string.
bool JsonText(absl::string_view json, std::string* out);

}  // namespace walduct::transform
