// One pass over the pattern. Everything not named here has the same meaning in both dialects and is
// copied.
#include "java/regex/regex_translator.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace walduct::java {
namespace {

bool IsLetter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

std::string CodePoint(uint32_t value) { return absl::StrFormat("\\x{%x}", value); }

class Translator {
 public:
  Translator(absl::string_view pattern, bool case_insensitive)
      : in_(pattern), case_insensitive_(case_insensitive) {}

  absl::StatusOr<std::string> Run() {
    while (!AtEnd()) RETURN_IF_ERROR(Element());
    return std::move(out_);
  }

 private:
  bool AtEnd() const { return at_ >= in_.size(); }
  char Peek(size_t ahead = 0) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }
  bool Follows(absl::string_view text) const { return in_.substr(at_, text.size()) == text; }

  absl::Status Fail(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(what, " at offset ", at_));
  }

  void Copy(size_t count) {
    out_.append(in_.data() + at_, count);
    at_ += count;
  }

  absl::Status Element() {
    switch (Peek()) {
      case '\\':
        can_repeat_ = true;
        return Escape(false);
      case '[':
        can_repeat_ = true;
        return CharacterClass();
      case '(':
        can_repeat_ = false;
        return Group();
      case '*':
      case '+':
      case '?':
      case '{':
        return Quantifier();
      default:
        can_repeat_ = Peek() != '|';
        Copy(1);
        return absl::OkStatus();
    }
  }

  // {n} {n,} {n,m} * + ?, then at most one of ? and +.
  absl::Status Quantifier() {
    if (!can_repeat_)
      return Fail(absl::StrCat("nothing to repeat before '", in_.substr(at_, 1), "'"));
    if (Peek() == '{') {
      RETURN_IF_ERROR(Braces());
    } else {
      Copy(1);
    }
    if (Peek() == '?' || Peek() == '+') Copy(1);
    can_repeat_ = false;
    return absl::OkStatus();
  }

  absl::Status Braces() {
    size_t length = 1;
    while (IsDigit(Peek(length))) ++length;
    bool valid = length > 1;
    if (Peek(length) == ',') ++length;
    while (IsDigit(Peek(length))) ++length;
    valid = valid && Peek(length) == '}';
    if (!valid)
      return Fail(
          "illegal repetition: '{' must be followed by n}, n,} or n,m} (a literal brace is \\{)");
    Copy(length + 1);
    return absl::OkStatus();
  }

  absl::Status Group() {
    if (Peek(1) != '?') {
      ++groups_;
      Copy(1);
      return absl::OkStatus();
    }
    for (absl::string_view prefix : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!"}) {
      if (!Follows(prefix)) continue;
      Copy(prefix.size());
      return absl::OkStatus();
    }
    return Follows("(?<") ? NamedGroup() : Flags();
  }

  absl::Status NamedGroup() {
    size_t length = 3;
    if (!IsLetter(Peek(length))) return Fail("a group name must start with a letter");
    while (IsLetter(Peek(length)) || IsDigit(Peek(length))) ++length;
    if (Peek(length) != '>')
      return Fail("a group name has only letters and digits and ends with '>'");
    ++groups_;
    Copy(length + 1);
    return absl::OkStatus();
  }

  // (?ims-ims) or (?ims-ims:…. d (Unix lines) and u (Unicode case) change nothing here.
  absl::Status Flags() {
    std::string kept;
    size_t length = 2;
    for (; Peek(length) != ')' && Peek(length) != ':'; ++length) {
      const char flag = Peek(length);
      if (flag == 'x' || flag == 'U') {
        return Fail(absl::StrCat("the inline flag '", std::string(1, flag), "' is not supported"));
      }
      if (flag == 'i' || flag == 'm' || flag == 's' || flag == '-') {
        kept += flag;
      } else if (flag != 'd' && flag != 'u') {
        return Fail("unknown kind of group '(?'");
      }
    }
    const bool scoped = Peek(length) == ':';
    if (scoped || (!kept.empty() && kept != "-"))
      absl::StrAppend(&out_, "(?", kept, scoped ? ":" : ")");
    at_ += length + 1;
    return absl::OkStatus();
  }

  absl::Status CharacterClass() {
    const size_t start = at_;
    Copy(1);
    if (Peek() == '^') Copy(1);
    bool first = true;
    while (first || Peek() != ']') {
      if (AtEnd()) {
        at_ = start;
        return Fail("unclosed character class");
      }
      RETURN_IF_ERROR(ClassItem());
      first = false;
    }
    Copy(1);
    return absl::OkStatus();
  }

  absl::Status ClassItem() {
    if (Follows("&&"))
      return Fail("class intersection '&&' is not supported; write the characters that remain");
    if (Peek() == '[') {
      return Fail(
          "a class inside a class (union) is not supported; write one class, as in [a-dm-p]; a "
          "literal bracket is \\[");
    }
    if (Peek() == '\\') return Escape(true);
    if (Peek() == ']') out_ += '\\';  // the first item of a class: a literal bracket
    Copy(1);
    return absl::OkStatus();
  }

  absl::Status Escape(bool in_class) {
    const char kind = Peek(1);
    if (at_ + 1 >= in_.size()) return Fail("a pattern cannot end with a single backslash");
    switch (kind) {
      case 'Q':
        return Quoted();
      case 'u':
        return UnicodeEscape();
      case 'x':
        return HexEscape();
      case '0':
        return OctalEscape();
      case 'c':
        return ControlEscape();
      case 'p':
      case 'P':
        return PropertyEscape(in_class);
      case 'b':
        if (Peek(2) == '{') return Fail("\\b{g} is not supported");
        break;
      default:
        break;
    }
    if (IsDigit(kind)) return in_class ? Fail("a back reference inside a class") : BackReference();
    const absl::string_view letters = in_class ? "adDefhHnrsStvVwW" : "aAbBdDefGhHknrRsStvVwWXzZ";
    if (IsLetter(kind) && !absl::StrContains(letters, kind)) {
      return Fail(
          absl::StrCat("'\\", in_.substr(at_ + 1, 1), "' is not a supported escape sequence"));
    }
    Copy(2);
    return absl::OkStatus();
  }

  // \Q…\E: PCRE2 has it too, but a quoted run ending the pattern inside a class would swallow the
  // bracket.
  absl::Status Quoted() {
    at_ += 2;
    const size_t end = std::min(in_.find("\\E", at_), in_.size());
    for (; at_ < end; ++at_) {
      if (absl::ascii_ispunct(static_cast<unsigned char>(in_[at_]))) out_ += '\\';
      out_ += in_[at_];
    }
    at_ = std::min(end + 2, in_.size());
    return absl::OkStatus();
  }

  absl::StatusOr<uint32_t> Hex(size_t from, size_t digits) const {
    uint32_t value = 0;
    if (from + digits > in_.size() || !absl::SimpleHexAtoi(in_.substr(from, digits), &value)) {
      return Fail("illegal hexadecimal escape sequence");
    }
    return value;
  }

  absl::Status UnicodeEscape() {
    ASSIGN_OR_RETURN(uint32_t value, Hex(at_ + 2, 4));
    at_ += 6;
    const bool pair = IsHighSurrogate(value) && Follows("\\u");
    if (pair) {
      ASSIGN_OR_RETURN(const uint32_t low, Hex(at_ + 2, 4));
      if (!IsLowSurrogate(low)) return Fail("a high surrogate must be followed by a low one");
      value = JoinSurrogates(value, low);
      at_ += 6;
    }
    if (IsHighSurrogate(value) || IsLowSurrogate(value))
      return Fail("a lone surrogate matches nothing");
    out_ += CodePoint(value);
    return absl::OkStatus();
  }

  absl::Status HexEscape() {
    const bool braces = Peek(2) == '{';
    const size_t start = at_ + (braces ? 3 : 2);
    const size_t digits = braces ? in_.substr(start).find('}') : 2;
    if (digits == absl::string_view::npos || digits == 0 || digits > 6) {
      return Fail("illegal hexadecimal escape sequence");
    }
    ASSIGN_OR_RETURN(const uint32_t value, Hex(start, digits));
    out_ += CodePoint(value);
    at_ = start + digits + (braces ? 1 : 0);
    return absl::OkStatus();
  }

  // \0n, \0nn, \0mnn with m <= 3.
  absl::Status OctalEscape() {
    at_ += 2;
    uint32_t value = 0;
    int digits = 0;
    while (digits < 3 && Peek() >= '0' && Peek() <= '7' && value * 8 <= 0377) {
      value = value * 8 + static_cast<uint32_t>(Peek() - '0');
      ++at_;
      ++digits;
    }
    if (digits == 0) return Fail("illegal octal escape sequence");
    out_ += CodePoint(value);
    return absl::OkStatus();
  }

  // Java flips bit 6 of the character as it stands; PCRE2 would fold it to upper case first.
  absl::Status ControlEscape() {
    if (at_ + 2 >= in_.size()) return Fail("\\c needs a character");
    out_ += CodePoint(static_cast<uint32_t>(static_cast<unsigned char>(Peek(2)) ^ 64));
    at_ += 3;
    return absl::OkStatus();
  }

  // Java reads as many digits as name an existing group, at least one.
  absl::Status BackReference() {
    int number = Peek(1) - '0';
    size_t length = 2;
    while (IsDigit(Peek(length)) && number * 10 + (Peek(length) - '0') <= groups_) {
      number = number * 10 + (Peek(length++) - '0');
    }
    if (number > groups_) return Fail(absl::StrCat("there is no group ", number));
    absl::StrAppend(&out_, "\\g{", number, "}");
    at_ += length;
    return absl::OkStatus();
  }

  absl::Status PropertyEscape(bool in_class) {
    bool negated = Peek(1) == 'P';
    size_t length = 3;
    absl::string_view name = in_.substr(at_ + 2, 1);
    if (name == "{") {
      const size_t end = in_.find('}', at_);
      if (end == absl::string_view::npos) return Fail("unclosed character property");
      name = in_.substr(at_ + 3, end - at_ - 3);
      length = end - at_ + 1;
    }
    absl::StatusOr<std::string> inside = TranslateProperty(name, case_insensitive_);
    if (!inside.ok()) return Fail(inside.status().message());
    if (!in_class) {
      absl::StrAppend(&out_, negated ? "[^" : "[", *inside, "]");
    } else if (!negated) {
      out_ += *inside;
    } else {
      return Fail(
          "a negated property inside a class is not supported; use it outside, as in "
          "(?:[a-z]|\\P{…})");
    }
    at_ += length;
    return absl::OkStatus();
  }

  absl::string_view in_;
  bool case_insensitive_;
  size_t at_ = 0;
  int groups_ = 0;
  bool can_repeat_ = false;  // the element before may take a quantifier
  std::string out_;
};

}  // namespace

absl::StatusOr<std::string> TranslateRegex(absl::string_view pattern, bool case_insensitive) {
  return Translator(pattern, case_insensitive).Run();
}

}  // namespace walduct::java
