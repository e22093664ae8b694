#include "tests/simulation/poll/condition.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/check.h"

namespace walduct::poll_simulation {

struct Condition::Node {
  enum class Kind : uint8_t { kColumn, kValue, kNow, kAnd, kOr, kNot, kIsNull, kIsTrue, kCompare };
  Kind kind = Kind::kValue;
  bool negated = false;   // of an IS
  std::string text = {};  // a column's name, an operator
  Value value = {};
  size_t left = 0, right = 0;
};

class Condition::Parser {
 public:
  Parser(absl::string_view sql, std::vector<Node>* nodes) : rest_(sql), nodes_(*nodes) {}

  size_t Whole() {
    const size_t root = Or();
    CHECK(rest_.empty());
    return root;
  }

 private:
  using Kind = Node::Kind;

  bool Take(absl::string_view token) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    if (!absl::ConsumePrefix(&rest_, token)) return false;
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return true;
  }
  size_t Add(Node node) {
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }
  size_t Or() {
    size_t left = And();
    while (Take("OR ")) {
      const size_t right = And();
      left = Add({.kind = Kind::kOr, .left = left, .right = right});
    }
    return left;
  }
  size_t And() {
    size_t left = Not();
    while (Take("AND ")) {
      const size_t right = Not();
      left = Add({.kind = Kind::kAnd, .left = left, .right = right});
    }
    return left;
  }
  size_t Not() {
    if (!Take("NOT ")) return Test();
    const size_t of = Not();
    return Add({.kind = Kind::kNot, .left = of});
  }
  size_t Test() {
    const size_t left = Primary();
    if (Take("IS ")) {
      const bool negated = Take("NOT ");
      if (Take("NULL")) return Add({.kind = Kind::kIsNull, .negated = negated, .left = left});
      CHECK(Take("TRUE"));
      return Add({.kind = Kind::kIsTrue, .negated = negated, .left = left});
    }
    for (const absl::string_view one : {"<=", ">=", "<>", "<", ">", "="}) {
      if (!Take(one)) continue;
      const size_t right = Primary();
      return Add({.kind = Kind::kCompare, .text = std::string(one), .left = left, .right = right});
    }
    return left;
  }
  size_t Primary() {
    if (Take("(")) {
      const size_t inner = Or();
      CHECK(Take(")"));
      return inner;
    }
    if (Take("now()")) return Add({.kind = Kind::kNow});
    if (Take("true")) return Add({.value = true});
    if (Take("false")) return Add({.value = false});
    if (Take("{")) return Add({.kind = Kind::kColumn, .text = Until('}')});
    if (Take("'")) return Add({.value = Until('\'')});
    size_t digits = 0;
    while (digits < rest_.size() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[digits])))
      ++digits;
    int64_t number = 0;
    CHECK(absl::SimpleAtoi(rest_.substr(0, digits), &number));
    rest_.remove_prefix(digits);
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return Add({.value = number});
  }
  std::string Until(char end) {
    const size_t at = rest_.find(end);
    CHECK(at != absl::string_view::npos);
    std::string text(rest_.substr(0, at));
    rest_.remove_prefix(at + 1);
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return text;
  }

  absl::string_view rest_;
  std::vector<Node>& nodes_;
};

Condition::Condition(absl::string_view sql) {
  if (!sql.empty()) root_ = Parser(sql, &nodes_).Whole();
}
Condition::~Condition() = default;
Condition::Condition(Condition&&) noexcept = default;
Condition& Condition::operator=(Condition&&) noexcept = default;

bool Condition::IsTrue(const ValueOf& value_of, int64_t now) const {
  return nodes_.empty() || Evaluate(root_, value_of, now) == Value(true);
}

namespace {

bool Compare(absl::string_view how, const Value& left, const Value& right) {
  CHECK(left.index() == right.index());
  if (how == "=") return left == right;
  if (how == "<>") return left != right;
  if (how == "<") return left < right;
  if (how == ">") return left > right;
  return how == "<=" ? left <= right : left >= right;
}

bool IsNull(const Value& value) { return value.index() == 0; }

// decides: the value that settles it whatever the other one is.
Value Join(const Value& left, const Value& right, bool decides) {
  if (left == Value(decides) || right == Value(decides)) return decides;
  if (IsNull(left) || IsNull(right)) return {};
  return !decides;
}

}  // namespace

Value Condition::Evaluate(size_t node, const ValueOf& value_of, int64_t now) const {
  const Node& at = nodes_[node];
  using Kind = Node::Kind;
  if (at.kind == Kind::kColumn) return value_of(at.text);
  if (at.kind == Kind::kValue) return at.value;
  if (at.kind == Kind::kNow) return now;
  const Value left = Evaluate(at.left, value_of, now);
  if (at.kind == Kind::kIsNull) return IsNull(left) != at.negated;
  if (at.kind == Kind::kIsTrue) return (left == Value(true)) != at.negated;
  if (at.kind == Kind::kNot) return IsNull(left) ? Value() : Value(left != Value(true));
  const Value right = Evaluate(at.right, value_of, now);
  if (at.kind == Kind::kAnd) return Join(left, right, false);
  if (at.kind == Kind::kOr) return Join(left, right, true);
  if (IsNull(left) || IsNull(right)) return {};
  return Compare(at.text, left, right);
}

std::vector<std::pair<std::string, Value>> Assignments(absl::string_view mark, int64_t now) {
  std::vector<std::pair<std::string, Value>> set;
  for (const absl::string_view part : absl::StrSplit(mark, ", ")) {
    const std::pair<absl::string_view, absl::string_view> two = absl::StrSplit(part, " = ");
    absl::string_view column = two.first, value = two.second;
    CHECK(absl::ConsumePrefix(&column, "{") && absl::ConsumeSuffix(&column, "}"));
    const bool word = absl::ConsumePrefix(&value, "'") && absl::ConsumeSuffix(&value, "'");
    CHECK(word || value == "now()");
    set.emplace_back(column, word ? Value(std::string(value)) : Value(now));
  }
  return set;
}

}  // namespace walduct::poll_simulation
