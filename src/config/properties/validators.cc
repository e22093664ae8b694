#include "config/properties/validators.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "java/regex/regex.h"
#include "java/regex/regex_list.h"
#include "java/text/text_lists.h"

namespace walduct::config {
namespace {

bool OnlyCharacters(absl::string_view value, absl::string_view punctuation) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains(punctuation, c);
  });
}

template <typename Integer>
std::string CheckInteger(absl::string_view value, Integer minimum, absl::string_view expected) {
  Integer number = 0;
  return absl::SimpleAtoi(value, &number) && number >= minimum ? "" : std::string(expected);
}

std::string CheckRegexList(absl::string_view value) {
  const absl::StatusOr<java::RegexList> list = java::RegexList::Parse(value);
  if (list.ok()) return "";
  return absl::StrCat("A comma-separated list of valid regular expressions is expected, but ",
                      list.status().message());
}

std::string CheckRegex(absl::string_view value) {
  const absl::StatusOr<std::unique_ptr<java::Regex>> regex = java::Regex::Compile(value, {});
  return regex.ok() ? ""
                    : absl::StrCat("A valid regular expression is expected, but ",
                                   regex.status().message());
}

std::string CheckType(const PropertyDefinition& definition, absl::string_view value) {
  switch (definition.type) {
    case PropertyType::kString:
    case PropertyType::kPassword:
    case PropertyType::kList:
    case PropertyType::kClass:
      return "";
    case PropertyType::kBoolean:
      return value == "true" || value == "false" ? "" : "Either 'true' or 'false' is expected";
    case PropertyType::kInt:
      return CheckInteger<int32_t>(value, INT32_MIN, "An integer is expected");
    case PropertyType::kInts:
      for (const absl::string_view part : absl::StrSplit(value, ',')) {
        const std::string problem =
            CheckInteger<int32_t>(part, INT32_MIN, "An integer is expected");
        if (!problem.empty()) return problem;
      }
      return "";
    case PropertyType::kPositiveInt:
      return CheckInteger<int32_t>(value, 1, "A positive, non-zero integer value is expected");
    case PropertyType::kNonNegativeInt:
      return CheckInteger<int32_t>(value, 0, "An non-negative integer is expected");
    case PropertyType::kPositiveLong:
      return CheckInteger<int64_t>(value, 1, "A positive, non-zero long value is expected");
    case PropertyType::kNonNegativeLong:
      return CheckInteger<int64_t>(value, 0, "A non-negative long value is expected");
    case PropertyType::kEnum:
      return java::ListContains(definition.allowed, value)
                 ? ""
                 : absl::StrCat("Value must be one of ", definition.allowed);
    case PropertyType::kRegexList:
      return CheckRegexList(value);
    case PropertyType::kRegex:
      return CheckRegex(value);
  }
  return "";
}

}  // namespace

std::string NormalizeValue(const PropertyDefinition& definition, absl::string_view value) {
  if (definition.type == PropertyType::kString || definition.type == PropertyType::kPassword)
    return std::string(value);
  value = absl::StripAsciiWhitespace(value);
  if (definition.type != PropertyType::kEnum && definition.type != PropertyType::kBoolean)
    return std::string(value);
  const std::string lower = absl::AsciiStrToLower(value);
  for (const std::string& alias : java::SplitCommaList(definition.value_aliases)) {
    const std::pair<absl::string_view, absl::string_view> old_and_new = absl::StrSplit(alias, '=');
    if (old_and_new.first == lower) return std::string(old_and_new.second);
  }
  return lower;
}

std::string CheckValue(const PropertyDefinition& definition, absl::string_view value) {
  const std::string normal = NormalizeValue(definition, value);
  std::string problem = CheckType(definition, normal);
  if (problem.empty() && definition.validator != nullptr && !normal.empty())
    problem = definition.validator(normal);
  return problem;
}

std::string CheckTopicName(absl::string_view value) {
  if (OnlyCharacters(value, "-_.")) return "";
  return "has invalid format (only the underscore, hyphen, dot and alphanumeric characters are "
         "allowed)";
}

// Kafka's own limits for a whole name; prefixes of names have only CheckTopicName.
std::string CheckWholeTopicName(absl::string_view value) {
  constexpr size_t kLongest = 249;
  if (value.size() > kLongest) return "is longer than 249 characters";
  if (value == "." || value == "..") return "is not a valid topic name";
  return CheckTopicName(value);
}

std::string CheckTopicPartitions(absl::string_view value) {
  int number = 0;
  return absl::SimpleAtoi(value, &number) && (number == -1 || number > 0)
             ? ""
             : "must be -1 or greater than 0";
}

std::string CheckPairs(absl::string_view value) {
  if (absl::StripAsciiWhitespace(value).empty()) return "";
  std::vector<absl::string_view> items = absl::StrSplit(value, ',');
  while (!items.empty() && items.back().empty()) items.pop_back();
  const bool good = std::all_of(items.begin(), items.end(), [](absl::string_view one) {
    const std::vector<absl::string_view> parts = absl::StrSplit(one, '=');
    return parts.size() == 2 && !parts[1].empty();
  });
  return good ? ""
              : "A equivalent-separated map of valid key/value pairs is expected, for example: "
                "k1=v1,k2=v2";
}

}  // namespace walduct::config
