#include "java/regex/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_translator.h"

namespace walduct::java {
namespace {

// Literal text, then the text of a group.
struct ReplacementPart {
  std::string literal;
  int group = -1;    // by number; -1: by name, or none
  std::string name;  // by name
};

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

absl::Status Wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

// rest begins behind the '$'; what belongs to the reference is removed from it.
absl::Status ParseName(absl::string_view* rest, ReplacementPart* part) {
  const size_t end = rest->find('}');
  if (end == absl::string_view::npos) return Wrong("a '${' has no '}'");
  part->name = std::string(rest->substr(1, end - 1));
  rest->remove_prefix(end + 1);
  return part->name.empty() ? Wrong("'${}' names no group") : absl::OkStatus();
}

absl::Status ParseNumber(uint32_t groups, absl::string_view* rest, ReplacementPart* part) {
  if (rest->empty() || !IsDigit(rest->front()))
    return Wrong(
        "a '$' is followed by neither a digit nor '{'; write \\$ for the character itself");
  uint32_t number = 0;
  bool first = true;
  while (!rest->empty() && IsDigit(rest->front())) {
    const uint32_t longer = number * 10 + static_cast<uint32_t>(rest->front() - '0');
    if (!first && longer > groups) break;
    number = longer;
    first = false;
    rest->remove_prefix(1);
  }
  if (number > groups) return Wrong(absl::StrCat("there is no group ", number));
  part->group = static_cast<int>(number);
  return absl::OkStatus();
}

// groups: how many the expression has. $12 is group 12 when there is one, else group 1 and a 2.
// InvalidArgument says what is wrong.
absl::StatusOr<std::vector<ReplacementPart>> ParseReplacement(absl::string_view replacement,
                                                              uint32_t groups) {
  std::vector<ReplacementPart> parts;
  ReplacementPart part;
  while (!replacement.empty()) {
    const char c = replacement.front();
    replacement.remove_prefix(1);
    if (c == '\\') {
      if (replacement.empty()) return Wrong("it ends with a lone backslash");
      part.literal += replacement.front();
      replacement.remove_prefix(1);
    } else if (c == '$') {
      const bool named = !replacement.empty() && replacement.front() == '{';
      RETURN_IF_ERROR(named ? ParseName(&replacement, &part)
                            : ParseNumber(groups, &replacement, &part));
      parts.push_back(std::exchange(part, {}));
    } else {
      part.literal += c;
    }
  }
  parts.push_back(std::move(part));
  return parts;
}

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
