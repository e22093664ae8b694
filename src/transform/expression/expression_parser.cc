#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "transform/expression/expression.h"
#include "transform/expression/expression_scanner.h"

namespace walduct::transform {
namespace {

using Kind = Expression::Kind;

constexpr int kMaxDepth = 64;

struct Operator {
  absl::string_view sign;
  Kind kind;
};
// Longer signs first.
constexpr Operator kComparisons[] = {
    {"==~", Kind::kFullMatch},  {"===", Kind::kEqual},         {"!==", Kind::kNotEqual},
    {"==", Kind::kEqual},       {"!=", Kind::kNotEqual},       {"=~", Kind::kPartMatch},
    {"<=", Kind::kLessOrEqual}, {">=", Kind::kGreaterOrEqual}, {"<", Kind::kLess},
    {">", Kind::kGreater},
};

struct Method {
  absl::string_view name;
  Kind kind;
  size_t arguments;
};
constexpr Method kMethods[] = {
    {"startsWith", Kind::kStartsWith, 1}, {"endsWith", Kind::kEndsWith, 1},
    {"contains", Kind::kContains, 1},     {"includes", Kind::kContains, 1},
    {"equals", Kind::kEqual, 1},          {"matches", Kind::kFullMatch, 1},
    {"toLowerCase", Kind::kLower, 0},     {"toUpperCase", Kind::kUpper, 0},
};

Expression Node(Kind kind, std::vector<Expression> children) {
  Expression node;
  node.kind = kind;
  node.children = std::move(children);
  return node;
}

class Parser : ExpressionScanner {
 public:
  explicit Parser(absl::string_view text) : ExpressionScanner(text) {}

  absl::StatusOr<Expression> ParseAll() {
    ASSIGN_OR_RETURN(Expression expression, ParseChoice());
    SkipBlanks();
    while (absl::ConsumePrefix(&rest_, ";")) SkipBlanks();
    if (!rest_.empty()) return Wrong("is not understood");
    return expression;
  }

 private:
  absl::StatusOr<Expression> ParseChoice() {
    if (++depth_ > kMaxDepth) return Wrong("is nested too deep");
    ASSIGN_OR_RETURN(Expression condition, ParseOr());
    SkipBlanks();
    if (Take("?:")) {
      ASSIGN_OR_RETURN(Expression no, ParseChoice());
      Expression yes = condition;
      condition = Node(Kind::kChoice, {std::move(condition), std::move(yes), std::move(no)});
    } else if (!absl::StartsWith(rest_, "?.") && Take("?")) {
      ASSIGN_OR_RETURN(Expression yes, ParseChoice());
      if (!Take(":")) return Wrong("is found where ':' is expected");
      ASSIGN_OR_RETURN(Expression no, ParseChoice());
      condition = Node(Kind::kChoice, {std::move(condition), std::move(yes), std::move(no)});
    }
    --depth_;
    return condition;
  }

  absl::StatusOr<Expression> ParseOr() {
    ASSIGN_OR_RETURN(Expression left, ParseAnd());
    while (Take("||") || TakeWord("or")) {
      ASSIGN_OR_RETURN(Expression right, ParseAnd());
      left = Node(Kind::kOr, {std::move(left), std::move(right)});
    }
    return left;
  }

  absl::StatusOr<Expression> ParseAnd() {
    ASSIGN_OR_RETURN(Expression left, ParseComparison());
    while (Take("&&") || TakeWord("and")) {
      ASSIGN_OR_RETURN(Expression right, ParseComparison());
      left = Node(Kind::kAnd, {std::move(left), std::move(right)});
    }
    return left;
  }

  absl::StatusOr<Expression> ParseComparison() {
    ASSIGN_OR_RETURN(Expression left, ParseSum());
    if (TakeWord("in")) {
      ASSIGN_OR_RETURN(Expression list, ParseSum());
      if (list.kind != Kind::kList) return Wrong("follows something that is not a list");
      return Node(Kind::kIn, {std::move(left), std::move(list)});
    }
    for (const Operator& comparison : kComparisons) {
      if (!Take(comparison.sign)) continue;
      ASSIGN_OR_RETURN(Expression right, ParseSum());
      return Combine(comparison.kind, std::move(left), std::move(right));
    }
    return left;
  }

  absl::StatusOr<Expression> Combine(Kind kind, Expression left, Expression right) const {
    Expression node = Node(kind, {std::move(left), std::move(right)});
    if (kind != Kind::kFullMatch && kind != Kind::kPartMatch) return node;
    if (node.children[1].kind != Kind::kText)
      return Wrong("follows a pattern that is not a string");
    const std::string& pattern = node.children[1].text;
    ASSIGN_OR_RETURN(
        node.regex,
        java::Regex::Compile(
            kind == Kind::kFullMatch ? pattern : absl::StrCat("(?s:.*)(?:", pattern, ")(?s:.*)"),
            {}));
    node.children.pop_back();
    return node;
  }

  absl::StatusOr<Expression> ParseSum() {
    ASSIGN_OR_RETURN(Expression left, ParseUnary());
    while (Take("+")) {
      ASSIGN_OR_RETURN(Expression right, ParseUnary());
      left = Node(Kind::kConcatenate, {std::move(left), std::move(right)});
    }
    return left;
  }

  absl::StatusOr<Expression> ParseUnary() {
    SkipBlanks();
    const bool negation = absl::StartsWith(rest_, "!") && !absl::StartsWith(rest_, "!=");
    if (!negation && !absl::StartsWith(rest_, "not ")) return ParsePostfix();
    rest_.remove_prefix(negation ? 1 : 4);
    if (++depth_ > kMaxDepth) return Wrong("is nested too deep");
    ASSIGN_OR_RETURN(Expression operand, ParseUnary());
    --depth_;
    return Node(Kind::kNot, {std::move(operand)});
  }

  absl::StatusOr<Expression> ParsePostfix() {
    ASSIGN_OR_RETURN(Expression value, ParsePrimary());
    while (true) {
      if (Take("[")) {
        ASSIGN_OR_RETURN(std::string step, ParseText());
        if (!Take("]")) return Wrong("is found where ']' is expected");
        RETURN_IF_ERROR(AddStep(std::move(step), false, &value));
        continue;
      }
      const bool safe = Take("?.");
      if (!safe && !Take(".")) return value;
      ASSIGN_OR_RETURN(std::string name, ParseName());
      if (!Take("(")) {
        RETURN_IF_ERROR(AddStep(std::move(name), safe, &value));
      } else {
        ASSIGN_OR_RETURN(value, ParseCall(name, safe, std::move(value)));
      }
    }
  }

  absl::Status AddStep(std::string step, bool safe, Expression* value) const {
    if (value->kind != Kind::kPath) return Wrong("follows a value that has no fields");
    value->path.push_back(std::move(step));
    value->safe.push_back(safe);
    return absl::OkStatus();
  }

  // After the opening bracket.
  absl::StatusOr<Expression> ParseCall(const std::string& name, bool safe, Expression value) {
    if (name == "get") {
      ASSIGN_OR_RETURN(std::string step, ParseText());
      if (!Take(")")) return Wrong("is found where ')' is expected");
      RETURN_IF_ERROR(AddStep(std::move(step), safe, &value));
      return value;
    }
    for (const Method& method : kMethods) {
      if (method.name != name) continue;
      Expression call = Node(method.kind, {});
      if (method.arguments == 0) {
        call.children.push_back(std::move(value));
      } else {
        ASSIGN_OR_RETURN(Expression argument, ParseChoice());
        ASSIGN_OR_RETURN(call, Combine(method.kind, std::move(value), std::move(argument)));
      }
      if (!Take(")")) return Wrong("is found where ')' is expected");
      call.call = true;
      call.safe_call = safe;
      return call;
    }
    return Wrong(absl::StrCat("follows the call of '", name, "', which is not supported"));
  }

  absl::StatusOr<Expression> ParsePrimary() {
    SkipBlanks();
    if (rest_.empty()) return Wrong("is where a value is expected");
    if (Take("(")) {
      ASSIGN_OR_RETURN(Expression inner, ParseChoice());
      if (!Take(")")) return Wrong("is found where ')' is expected");
      return inner;
    }
    if (Take("[")) return ParseList();
    if (absl::StrContains("'\"/", rest_[0])) {
      Expression text;
      text.kind = Kind::kText;
      ASSIGN_OR_RETURN(text.text, ParseText());
      return text;
    }
    if (absl::ascii_isdigit(static_cast<unsigned char>(rest_[0])) || rest_[0] == '-')
      return ParseNumber();
    if (TakeWord("null")) return Expression();
    for (const bool value : {true, false}) {
      if (!TakeWord(value ? "true" : "false")) continue;
      Expression constant;
      constant.kind = Kind::kBoolean;
      constant.integer = value ? 1 : 0;
      return constant;
    }
    return ParsePath();
  }

  absl::StatusOr<Expression> ParsePath() {
    Expression path;
    path.kind = Kind::kPath;
    const absl::string_view before = rest_;
    ASSIGN_OR_RETURN(std::string root, ParseName());
    if (root == "headers") root = "header";
    if (root != "value" && root != "key" && root != "topic" && root != "header") {
      rest_ = before;
      return Wrong("is unknown; paths begin with value, key, topic or header");
    }
    path.path.push_back(std::move(root));
    path.safe.push_back(false);
    return path;
  }

  absl::StatusOr<Expression> ParseList() {
    Expression list;
    list.kind = Kind::kList;
    while (!Take("]")) {
      if (!list.children.empty() && !Take(","))
        return Wrong("is found where ',' or ']' is expected");
      ASSIGN_OR_RETURN(Expression item, ParseChoice());
      list.children.push_back(std::move(item));
    }
    return list;
  }

  int depth_ = 0;
};

}  // namespace

absl::StatusOr<Expression> ParseExpression(absl::string_view text) {
  return Parser(text).ParseAll();
}

}  // namespace walduct::transform
