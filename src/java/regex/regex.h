// Regex: java.util.regex patterns on PCRE2. Constructs that PCRE2 would read differently are
// translated; what cannot be is refused, never guessed. Immutable; thread-safe (each match takes
// its own match data).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::java {

struct RegexOptions {
  bool case_insensitive = false;
};

class Regex {
 public:
  static absl::StatusOr<std::unique_ptr<Regex>> Compile(absl::string_view pattern,
                                                        RegexOptions options);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // Java's Matcher.matches(): the whole text. A text that exceeds the match limits does not match.
  bool FullMatch(absl::string_view text) const;

  // "" when replacement may follow this expression in ReplaceFirst, else what is wrong with it.
  std::string CheckReplacement(absl::string_view replacement) const;
  // Java's Matcher.replaceFirst: text with its first match, whole or not, replaced; $1 and ${name}
  // are groups, a backslash takes the next character literally. text itself when nothing matches.
  // Expects a checked replacement.
  std::string ReplaceFirst(absl::string_view text, absl::string_view replacement) const;
  const std::string& pattern() const { return pattern_; }

 private:
  struct Code;
  Regex(std::string pattern, std::unique_ptr<Code> code);
  std::string pattern_;
  std::unique_ptr<Code> code_;
};

}  // namespace walduct::java
