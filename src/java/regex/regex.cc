#include "java/regex/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_translator.h"
#include "java/regex/replacement.h"

namespace walduct::java {
namespace {

// A pattern comes from an operator, the text from a catalog: a hundred thousand steps decide any
// sane pair of them.
constexpr uint32_t kMatchLimit = 100'000;
constexpr uint32_t kDepthLimit = 5'000;
constexpr uint32_t kHeapLimitKib = 8'192;
constexpr size_t kMaxPatternBytes = size_t{64} * 1024;

struct CompileContextDeleter {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};
struct MatchDeleter {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

absl::Status Refused(absl::string_view pattern, absl::string_view what) {
  return Error(absl::StatusCode::kInvalidArgument, "bad_regex",
               absl::StrCat("'", pattern, "' is not a valid regular expression: ", what));
}

std::string CompileMessage(int code) {
  PCRE2_UCHAR text[256];
  const int length = pcre2_get_error_message(code, text, sizeof(text));
  return length < 0 ? absl::StrCat("error ", code)
                    : std::string(reinterpret_cast<const char*>(text));
}

}  // namespace

struct Regex::Code {
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;

  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    pcre2_match_context_free(context);
    pcre2_code_free(code);
  }
};

Regex::Regex(std::string pattern, std::unique_ptr<Code> code)
    : pattern_(std::move(pattern)), code_(std::move(code)) {}
Regex::~Regex() = default;

absl::StatusOr<std::unique_ptr<Regex>> Regex::Compile(absl::string_view pattern,
                                                      RegexOptions options) {
  if (pattern.size() > kMaxPatternBytes)
    return Refused(pattern.substr(0, 80), "longer than 64 KiB");
  absl::StatusOr<std::string> translated = TranslateRegex(pattern, options.case_insensitive);
  if (!translated.ok()) return Refused(pattern, translated.status().message());

  // Java's '.' stops at \n, \r, U+0085, U+2028 and U+2029: newline "any" is the nearest PCRE2 has.
  std::unique_ptr<pcre2_compile_context, CompileContextDeleter> context(
      pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_ANY);
  // No start optimization: PCRE2 10.42 takes a look-ahead's first character for consumed and then
  // misses "(?=a)#*?a" on "a".
  uint32_t flags = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_START_OPTIMIZE;
  if (options.case_insensitive) flags |= PCRE2_CASELESS;
  int error = 0;
  size_t offset = 0;
  auto code = std::make_unique<Code>();
  code->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated->data()), translated->size(),
                             flags, &error, &offset, context.get());
  if (code->code == nullptr) return Refused(pattern, CompileMessage(error));
  code->context = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(code->context, kMatchLimit);
  pcre2_set_depth_limit(code->context, kDepthLimit);
  pcre2_set_heap_limit(code->context, kHeapLimitKib);
  return std::unique_ptr<Regex>(new Regex(std::string(pattern), std::move(code)));
}

bool Regex::FullMatch(absl::string_view text) const {
  std::unique_ptr<pcre2_match_data, MatchDeleter> match(pcre2_match_data_create(1, nullptr));
  return pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0,
                     PCRE2_ANCHORED | PCRE2_ENDANCHORED, match.get(), code_->context) >= 0;
}

std::string Regex::CheckReplacement(absl::string_view replacement) const {
  uint32_t groups = 0;
  pcre2_pattern_info(code_->code, PCRE2_INFO_CAPTURECOUNT, &groups);
  const absl::StatusOr<std::vector<ReplacementPart>> parts = ParseReplacement(replacement, groups);
  if (!parts.ok()) return std::string(parts.status().message());
  for (const ReplacementPart& part : *parts) {
    if (!part.name.empty() && pcre2_substring_number_from_name(
                                  code_->code, reinterpret_cast<PCRE2_SPTR>(part.name.c_str())) < 0)
      return absl::StrCat("there is no group '", part.name, "'");
  }
  return "";
}

std::string Regex::ReplaceFirst(absl::string_view text, absl::string_view replacement) const {
  std::unique_ptr<pcre2_match_data, MatchDeleter> match(
      pcre2_match_data_create_from_pattern(code_->code, nullptr));
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  if (pcre2_match(code_->code, subject, text.size(), 0, 0, match.get(), code_->context) < 0)
    return std::string(text);
  uint32_t groups = 0;
  pcre2_pattern_info(code_->code, PCRE2_INFO_CAPTURECOUNT, &groups);
  const absl::StatusOr<std::vector<ReplacementPart>> parts = ParseReplacement(replacement, groups);
  CHECK(parts.ok());  // checked before
  const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());
  std::string result(text.substr(0, bounds[0]));
  for (const ReplacementPart& part : *parts) {
    absl::StrAppend(&result, part.literal);
    int group = part.group;
    if (!part.name.empty())
      group = pcre2_substring_number_from_name(code_->code,
                                               reinterpret_cast<PCRE2_SPTR>(part.name.c_str()));
    if (group < 0) continue;
    const size_t* const bound = bounds + 2 * static_cast<size_t>(group);
    if (bound[0] == PCRE2_UNSET) continue;
    absl::StrAppend(&result, text.substr(bound[0], bound[1] - bound[0]));
  }
  absl::StrAppend(&result, text.substr(bounds[1]));
  return result;
}

}  // namespace walduct::java
