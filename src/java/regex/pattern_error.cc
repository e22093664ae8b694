#include "java/regex/pattern_error.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace walduct::java {
namespace {

// Reads a pattern from the left, as Java compiles it, up to the first fault.
class Reader {
 public:
  explicit Reader(absl::string_view pattern) : pattern_(pattern) {}

  std::string Run() {
    while (fault_.empty() && at_ < pattern_.size()) Element();
    if (fault_.empty() && open_groups_ > 0) Fail("Unclosed group", pattern_.size());
    return fault_;
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool DigitAt(size_t place) const {
    return place < pattern_.size() &&
           absl::ascii_isdigit(static_cast<unsigned char>(pattern_[place]));
  }

  // With a line that points at the place, where the pattern has it.
  void Fail(absl::string_view what, size_t place) {
    fault_ = absl::StrCat(what, " near index ", place, "\n", pattern_);
    if (place < pattern_.size()) absl::StrAppend(&fault_, "\n", std::string(place, ' '), "^");
  }

  void Element() {
    switch (Peek()) {
      case '\\':
        return Escape();
      case '[':
        return Class();
      case '(':
        return Open();
      case ')':
        return Close();
      case '*':
      case '+':
      case '?':
      case '{':
        return Repetition();
      default:
        repeatable_ = Peek() != '|';
        ++at_;
    }
  }

  void Escape() {
    repeatable_ = true;
    if (at_ + 1 == pattern_.size()) {
      // A group around it is found open first.
      open_groups_ > 0 ? Fail("Unclosed group", pattern_.size() + 1)
                       : Fail("Unescaped trailing backslash", pattern_.size());
    } else {
      at_ += 2;
    }
  }

  void Class() {
    repeatable_ = true;
    size_t depth = 0;
    bool first = false;  // where a ']' is a character
    do {
      const char one = Peek();
      const bool closes = one == ']' && !first;
      at_ += one == '\\' ? 2 : 1;
      first = one == '[';
      if (first) {
        ++depth;
        if (Peek() == '^') ++at_;
      } else if (closes) {
        --depth;
      } else if (RunsBackwards(one)) {
        return Fail("Illegal character range", at_);
      }
    } while (depth > 0 && at_ < pattern_.size());
    if (depth == 0) return;
    const bool escaped = at_ > pattern_.size();  // by a backslash that ends the pattern
    Fail("Unclosed character class", pattern_.size() - (escaped ? 0 : 1));
  }

  // Behind the first character of what may be a range; whether it runs backwards.
  bool RunsBackwards(char low) {
    if (low == '\\' || Peek() != '-' || Peek(1) == ']' || Peek(1) == '[') return false;
    ++at_;
    if (Peek() == '\\') return false;
    if (Peek() < low) return true;
    ++at_;
    return false;
  }

  void Open() {
    ++open_groups_;
    repeatable_ = false;
    ++at_;
    if (Peek() != '?') return;
    ++at_;
    while (at_ < pattern_.size() && absl::StrContains("idmsuxU-", pattern_.substr(at_, 1))) ++at_;
    if (absl::StrContains(":=!<>", std::string(1, Peek()))) {
      ++at_;
    } else if (Peek() != ')') {
      Fail("Unknown inline modifier", at_);
    }
  }

  void Close() {
    if (open_groups_ == 0) {
      if (at_ > 0) return Fail("Unmatched closing ')'", at_ - 1);
      fault_ = absl::StrCat("Unmatched closing ')'\n", pattern_);
      return;
    }
    --open_groups_;
    repeatable_ = true;
    ++at_;
  }

  void Repetition() {
    const bool counted = Peek() == '{';
    if (counted && !DigitAt(at_ + 1)) return Fail("Illegal repetition", at_ + 1);
    if (!counted && !repeatable_)
      return Fail(absl::StrCat("Dangling meta character '", pattern_.substr(at_, 1), "'"), at_);
    ++at_;
    if (counted && !Count()) return Fail("Unclosed counted closure", at_);
    if (Peek() == '?' || Peek() == '+') ++at_;
    repeatable_ = counted;  // a{2}{3} is one, a** is not
    if (counted && absl::StrContains("*+?", pattern_.substr(at_, 1))) repeatable_ = false;
  }

  // Behind a '{', up to what is behind its '}'.
  bool Count() {
    while (DigitAt(at_)) ++at_;
    if (Peek() == ',') ++at_;
    while (DigitAt(at_)) ++at_;
    if (Peek() != '}') return false;
    ++at_;
    return true;
  }

  absl::string_view pattern_;
  size_t at_ = 0;
  size_t open_groups_ = 0;
  bool repeatable_ = false;
  std::string fault_;
};

}  // namespace

std::string PatternError(absl::string_view pattern) {
  const bool ascii = std::all_of(pattern.begin(), pattern.end(), [](char c) {
    return absl::ascii_isascii(static_cast<unsigned char>(c));
  });
  return ascii && !absl::StrContains(pattern, "\\Q") ? Reader(pattern).Run() : "";
}

}  // namespace walduct::java
