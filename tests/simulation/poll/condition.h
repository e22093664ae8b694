// Condition: what a layout says of a row as SQL ({published_at} IS NULL AND …), asked of a row of
// the simulation: so what is simulated is the layout's own text. Knows the few operators that
// layouts have; another one is a broken invariant.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::poll_simulation {

// SQL's NULL, boolean, number (a time: microseconds), text.
using Value = std::variant<std::monostate, bool, int64_t, std::string>;
// Of a column, by its name in braces.
using ValueOf = std::function<Value(absl::string_view column)>;

// Compiled once. An empty one is true.
class Condition {
 public:
  explicit Condition(absl::string_view sql);
  ~Condition();
  Condition(Condition&&) noexcept;
  Condition& operator=(Condition&&) noexcept;

  bool empty() const { return nodes_.empty(); }
  // NULL is not true. now: in microseconds.
  bool IsTrue(const ValueOf& value_of, int64_t now) const;

 private:
  struct Node;
  class Parser;
  Value Evaluate(size_t node, const ValueOf& value_of, int64_t now) const;

  std::vector<Node> nodes_;
  size_t root_ = 0;
};

// What a mark sets: {column} = now(), {column} = 'WORD'.
std::vector<std::pair<std::string, Value>> Assignments(absl::string_view mark, int64_t now);

}  // namespace walduct::poll_simulation
