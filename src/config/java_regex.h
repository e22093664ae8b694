// JavaRegex: java.util.regex patterns on PCRE2. Constructs that PCRE2 would read differently are translated; what cannot be
// is refused, never guessed. Immutable; thread-safe (each match takes its own match data).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::config {

struct JavaRegexOptions {
  bool case_insensitive = false;
};

class JavaRegex {
 public:
  static absl::StatusOr<std::unique_ptr<JavaRegex>> Compile(absl::string_view pattern,
                                                            JavaRegexOptions options);
  ~JavaRegex();
  JavaRegex(const JavaRegex&) = delete;
  JavaRegex& operator=(const JavaRegex&) = delete;

  // Java's Matcher.matches(): the whole text. A text that exceeds the match limits does not match.
  bool FullMatch(absl::string_view text) const;
  const std::string& pattern() const { return pattern_; }

 private:
  struct Code;
  JavaRegex(std::string pattern, std::unique_ptr<Code> code);
  std::string pattern_;
  std::unique_ptr<Code> code_;
};

}  // namespace walduct::config
