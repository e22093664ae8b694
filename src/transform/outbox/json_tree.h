// JSON as a tree, by the rules of Jackson's default parser: what it refuses is refused, what follows the first value is not
// looked at, of members of one name the last one counts. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::transform {

struct NamedTree;

struct JsonTree {
  enum class Kind { kNull, kBoolean, kNumber, kText, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;                // kText: decoded; kNumber: as written
  std::vector<JsonTree> items;     // kArray
  std::vector<NamedTree> members;  // kObject: each name once, in the order of their first mention

  // The member of that name; null when there is none.
  const JsonTree* Find(absl::string_view name) const;
};

struct NamedTree {
  std::string name;
  JsonTree value;
};

// InvalidArgument bad_json.
absl::StatusOr<JsonTree> ParseJsonTree(absl::string_view text);

}  // namespace walduct::transform
