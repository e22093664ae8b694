#include "config/transforms/expression.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace walduct::config {
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

bool IsNameStart(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool IsNamePart(char c) {
  return IsNameStart(c) || absl::ascii_isdigit(static_cast<unsigned char>(c));
}

// What a backslash and the characters behind it stand for; how many of those it took.
size_t AppendEscaped(absl::string_view rest, std::string* text) {
  constexpr absl::string_view kLetters = "nrtbf", kControls = "\n\r\t\b\f";
  const size_t control = kLetters.find(rest[0]);
  uint32_t code = 0;
  if (rest[0] == 'u' && absl::SimpleHexAtoi(rest.substr(1, 4), &code) && rest.size() > 4) {
    AppendUtf8(code, text);
    return 5;
  }
  text->push_back(control == absl::string_view::npos ? rest[0] : kControls[control]);
  return 1;
}

Expression Node(Kind kind, std::vector<Expression> children) {
  Expression node;
  node.kind = kind;
  node.children = std::move(children);
  return node;
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text), rest_(text) {}

  absl::StatusOr<Expression> ParseAll() {
    ASSIGN_OR_RETURN(Expression expression, ParseChoice());
    SkipBlanks();
    while (absl::ConsumePrefix(&rest_, ";")) SkipBlanks();
    if (!rest_.empty()) return Wrong("is not understood");
    return expression;
  }

 private:
  absl::Status Wrong(absl::string_view what) const {
    return Error(absl::StatusCode::kInvalidArgument, "bad_expression",
                 absl::StrCat("at ", text_.size() - rest_.size() + 1, ": '", rest_.substr(0, 20),
                              "' ", what));
  }

  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  bool Take(absl::string_view sign) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, sign);
  }
  // A word, not the beginning of a longer one.
  bool TakeWord(absl::string_view word) {
    SkipBlanks();
    if (!absl::StartsWith(rest_, word)) return false;
    if (rest_.size() > word.size() && IsNamePart(rest_[word.size()])) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

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
      if (!Take(":")) return Wrong("stands where ':' is expected");
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
      if (list.kind != Kind::kList) return Wrong("stands where a list was expected before");
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
    if (node.children[1].kind != Kind::kText) return Wrong("comes after a pattern that is no text");
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
        if (!Take("]")) return Wrong("stands where ']' is expected");
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
    if (value->kind != Kind::kPath) return Wrong("comes after a value that has no fields");
    value->path.push_back(std::move(step));
    value->safe.push_back(safe);
    return absl::OkStatus();
  }

  // After the opening bracket.
  absl::StatusOr<Expression> ParseCall(const std::string& name, bool safe, Expression value) {
    if (name == "get") {
      ASSIGN_OR_RETURN(std::string step, ParseText());
      if (!Take(")")) return Wrong("stands where ')' is expected");
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
      if (!Take(")")) return Wrong("stands where ')' is expected");
      call.call = true;
      call.safe_call = safe;
      return call;
    }
    return Wrong(absl::StrCat("follows the call of '", name, "', which is not supported"));
  }

  absl::StatusOr<Expression> ParsePrimary() {
    SkipBlanks();
    if (rest_.empty()) return Wrong("is where a value is missing");
    if (Take("(")) {
      ASSIGN_OR_RETURN(Expression inner, ParseChoice());
      if (!Take(")")) return Wrong("stands where ')' is expected");
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
      if (!list.children.empty() && !Take(",")) return Wrong("stands where ',' or ']' is expected");
      ASSIGN_OR_RETURN(Expression item, ParseChoice());
      list.children.push_back(std::move(item));
    }
    return list;
  }

  absl::StatusOr<Expression> ParseNumber() {
    size_t size = 1;
    while (size < rest_.size() &&
           (absl::ascii_isdigit(static_cast<unsigned char>(rest_[size])) || rest_[size] == '.'))
      ++size;
    Expression number;
    number.kind = Kind::kNumber;
    number.whole = absl::SimpleAtoi(rest_.substr(0, size), &number.integer);
    if (!absl::SimpleAtod(rest_.substr(0, size), &number.real)) return Wrong("is no number");
    const absl::string_view digits = rest_.substr(0, size);
    rest_.remove_prefix(size);
    // Suffixes of Java's longs, doubles, decimals.
    const bool real = !rest_.empty() && absl::StrContains("DdFf", rest_[0]);
    if (real) number.whole = false;
    const bool suffixed = !rest_.empty() && absl::StrContains("LlGg", rest_[0]);
    number.wide = suffixed || number.integer != static_cast<int32_t>(number.integer);
    if (!number.whole && !real) number.text = std::string(digits);
    if (!rest_.empty() && absl::StrContains("LlDdFfGg", rest_[0])) rest_.remove_prefix(1);
    return number;
  }

  absl::StatusOr<std::string> ParseName() {
    SkipBlanks();
    if (rest_.empty() || !IsNameStart(rest_[0])) return Wrong("stands where a name is expected");
    size_t size = 1;
    while (size < rest_.size() && IsNamePart(rest_[size])) ++size;
    std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }

  absl::StatusOr<std::string> ParseText() {
    SkipBlanks();
    if (rest_.empty() || !absl::StrContains("'\"/", rest_[0]))
      return Wrong("stands where a text in quotes is expected");
    const char quote = rest_[0];
    std::string text;
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return text;
      }
      if (quote == '"' && rest_[i] == '$')
        return Wrong("has a '$' in double quotes; use single ones");
      // Between slashes only a slash is escaped.
      const bool escape = quote != '/' || absl::StartsWith(rest_.substr(i), "\\/");
      if (rest_[i] == '\\' && escape && i + 1 < rest_.size()) {
        i += AppendEscaped(rest_.substr(i + 1), &text);
      } else {
        text.push_back(rest_[i]);
      }
    }
    return Wrong("has no closing quote");
  }

  const absl::string_view text_;
  absl::string_view rest_;
  int depth_ = 0;
};

}  // namespace

absl::StatusOr<Expression> ParseExpression(absl::string_view text) {
  return Parser(text).ParseAll();
}

}  // namespace walduct::config
