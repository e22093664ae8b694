// Patterns of java.util.regex: what is translated, PCRE2 compiles, and it can be matched. Input: a
// byte of options, the pattern up to a line feed, the text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "java/regex/regex.h"
#include "java/regex/regex_translator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size == 0 || size > 512) return 0;
  const bool case_insensitive = (input[0] & 1) != 0;
  const absl::string_view rest(reinterpret_cast<const char*>(input) + 1, size - 1);
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::string pattern(rest.substr(0, end));
  const std::string text(rest.substr(std::min(end + 1, rest.size())));

  const auto translated = walduct::java::TranslateRegex(pattern, case_insensitive);
  if (!translated.ok()) CHECK(translated.status().code() == absl::StatusCode::kInvalidArgument);
  const auto regex = walduct::java::Regex::Compile(pattern, {.case_insensitive = case_insensitive});
  if (!regex.ok()) {
    CHECK(regex.status().code() == absl::StatusCode::kInvalidArgument);
    return 0;
  }
  CHECK(translated.ok());
  if ((*regex)->FullMatch(text) && (*regex)->CheckReplacement("<$0>").empty()) {
    const std::string replaced = (*regex)->ReplaceFirst(text, "<$0>");
    CHECK(replaced.size() >= text.size());
  }
  return 0;
}
