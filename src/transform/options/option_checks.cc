#include "transform/options/option_checks.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "java/regex/regex.h"
#include "java/text/text_lists.h"

namespace walduct::transform {

std::string CheckNotEmpty(absl::string_view value) {
  return value.empty() ? "must not be empty" : "";
}

std::string CheckNotEmptyList(absl::string_view value) {
  return java::SplitCommaList(value).empty() ? "must not be empty" : "";
}

std::string CheckPositive(absl::string_view value) {
  return absl::StartsWith(value, "-") || value == "0" ? "must be greater than 0" : "";
}

std::string CheckNotNegative(absl::string_view value) {
  return absl::StartsWith(value, "-") ? "must not be negative" : "";
}

std::string CheckPattern(absl::string_view value) {
  const auto regex = java::Regex::Compile(value, {});
  return regex.ok() ? "" : std::string(regex.status().message());
}

std::string CheckDateFormat(absl::string_view value) {
  const auto format = java::SimpleDateFormat::Compile(value);
  return format.ok() ? "" : absl::StrCat("is not a valid pattern: ", format.status().message());
}

std::string CheckReplacement(absl::string_view regex, absl::string_view replacement) {
  const auto rename = java::RegexRename::Compile(regex, replacement);
  return rename.ok() ? "" : std::string(rename.status().message());
}

java::RegexRename CheckedRename(absl::string_view regex, absl::string_view replacement) {
  absl::StatusOr<java::RegexRename> rename = java::RegexRename::Compile(regex, replacement);
  CHECK(rename.ok());
  return *std::move(rename);
}

std::shared_ptr<const java::SimpleDateFormat> CheckedDateFormat(absl::string_view pattern) {
  absl::StatusOr<java::SimpleDateFormat> format = java::SimpleDateFormat::Compile(pattern);
  CHECK(format.ok());
  return std::make_shared<const java::SimpleDateFormat>(*std::move(format));
}

}  // namespace walduct::transform
