#include "transform/expression/expression_scanner.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/utf8.h"

namespace walduct::transform {
namespace {

using Kind = Expression::Kind;

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

}  // namespace

absl::Status ExpressionScanner::Wrong(absl::string_view what) const {
  return Error(
      absl::StatusCode::kInvalidArgument, "bad_expression",
      absl::StrCat("at ", text_.size() - rest_.size() + 1, ": '", rest_.substr(0, 20), "' ", what));
}

void ExpressionScanner::SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

bool ExpressionScanner::Take(absl::string_view sign) {
  SkipBlanks();
  return absl::ConsumePrefix(&rest_, sign);
}

bool ExpressionScanner::TakeWord(absl::string_view word) {
  SkipBlanks();
  if (!absl::StartsWith(rest_, word)) return false;
  if (rest_.size() > word.size() && IsNamePart(rest_[word.size()])) return false;
  rest_.remove_prefix(word.size());
  return true;
}

absl::StatusOr<std::string> ExpressionScanner::ParseName() {
  SkipBlanks();
  if (rest_.empty() || !IsNameStart(rest_[0])) return Wrong("is found where a name is expected");
  size_t size = 1;
  while (size < rest_.size() && IsNamePart(rest_[size])) ++size;
  std::string name(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return name;
}

absl::StatusOr<std::string> ExpressionScanner::ParseText() {
  SkipBlanks();
  if (rest_.empty() || !absl::StrContains("'\"/", rest_[0]))
    return Wrong("is found where a quoted string is expected");
  const char quote = rest_[0];
  std::string text;
  for (size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == quote) {
      rest_.remove_prefix(i + 1);
      return text;
    }
    if (quote == '"' && rest_[i] == '$')
      return Wrong("has a '$' in double quotes; use single quotes");
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

absl::StatusOr<Expression> ExpressionScanner::ParseNumber() {
  size_t size = 1;
  while (size < rest_.size() &&
         (absl::ascii_isdigit(static_cast<unsigned char>(rest_[size])) || rest_[size] == '.'))
    ++size;
  Expression number;
  number.kind = Kind::kNumber;
  number.whole = absl::SimpleAtoi(rest_.substr(0, size), &number.integer);
  if (!absl::SimpleAtod(rest_.substr(0, size), &number.real)) return Wrong("is not a number");
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

}  // namespace walduct::transform
