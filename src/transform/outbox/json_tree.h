// JSON as a tree, by the rules of Jackson's default parser: what it refuses is refused, what
// follows the first value is not looked at, of members of one name the last one counts. Pure;
// thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
};

struct NamedTree {
  std::string name;
  JsonTree value;
};

// Finds the members of one object, which may grow meanwhile: at no cost in their order, by a table
// where there are many. Borrows the object.
class MemberIndex {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  explicit MemberIndex(const JsonTree& object) : object_(object) {}
  // The place of the member of that name; kNone.
  size_t Find(absl::string_view name);

 private:
  static constexpr size_t kFew = 16;

  const JsonTree& object_;
  size_t next_ = 0, indexed_ = 0;
  absl::flat_hash_map<std::string, size_t> places_;
};

// InvalidArgument bad_json.
absl::StatusOr<JsonTree> ParseJsonTree(absl::string_view text);

}  // namespace walduct::transform
