// The leaves of a JSON document with their text as it stands there: nothing is converted, so that
// two texts are equal when their bytes are. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::compare {

struct Field {
  std::string path;        // a.b.c; of Connect's envelope what is in "payload", without that name
  absl::string_view text;  // of the document: 12, "a", [1,2]; an array is a leaf, as is "schema"
};

// nullopt: no JSON object.
std::optional<std::vector<Field>> LeavesOf(absl::string_view json);

}  // namespace walduct::compare
