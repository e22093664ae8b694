#include "loader/validators.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "java/regex/regex.h"
#include "java/regex/regex_list.h"
#include "java/text/text_lists.h"
#include "loader/topic_naming_options.h"
#include "route/message_keys.h"

namespace walduct::loader {
namespace {

bool FullMatch(absl::string_view pattern, absl::string_view text) {
  absl::StatusOr<std::unique_ptr<java::Regex>> regex = java::Regex::Compile(pattern, {});
  return regex.ok() && (*regex)->FullMatch(text);
}

bool OnlyCharacters(absl::string_view value, absl::string_view punctuation) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains(punctuation, c);
  });
}

}  // namespace

std::string CheckHostname(absl::string_view value) {
  if (OnlyCharacters(value, "-_.")) return "";
  return "has invalid format (only the underscore, hyphen, dot and alphanumeric characters are "
         "allowed)";
}

std::string CheckPort(absl::string_view value) {
  int32_t port = 0;
  return absl::SimpleAtoi(value, &port) && port >= 1 && port <= 65535 ? "" : "is not a port number";
}

std::string CheckSlotName(absl::string_view value) {
  const bool valid = value.size() <= 63 && std::all_of(value.begin(), value.end(), [](char c) {
                       return absl::ascii_islower(static_cast<unsigned char>(c)) ||
                              absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
                     });
  return valid ? ""
               : "Valid replication slot name must contain only digits, lowercase characters and "
                 "underscores with length <= 63";
}

std::string CheckSkippedOperations(absl::string_view value) {
  const std::vector<std::string> operations = java::SplitCommaList(value);
  for (const std::string& operation : operations) {
    if (operation == "none" && operations.size() > 1) {
      return "'none' cannot be specified with other skipped operation types";
    }
    if (!java::ListContains("none, c, u, d, t, r", operation)) return "Invalid operation";
  }
  return "";
}

std::string CheckMessageKeyColumns(absl::string_view value) {
  const absl::StatusOr<route::MessageKeys> keys = route::MessageKeys::Parse(value);
  return keys.ok() ? "" : std::string(keys.status().message());
}

std::string CheckNamingStrategy(absl::string_view value) {
  return FindNamingStrategy(value) != nullptr ? ""
                                              : "is not a topic naming strategy that walduct knows";
}

std::string CheckReplicaIdentities(absl::string_view value) {
  for (const std::string& part : java::SplitCommaList(value)) {
    if (!FullMatch(R"((?i)\s*[^\s:]+:(DEFAULT|INDEX \w*|FULL|NOTHING)\s*)", part)) {
      return "has an invalid format (expecting table-regex:DEFAULT|FULL|NOTHING|INDEX name)";
    }
    const absl::StatusOr<java::RegexList> tables =
        java::RegexList::Parse(part.substr(0, part.find(':')));
    if (!tables.ok()) return std::string(tables.status().message());
  }
  return "";
}

std::string CheckSignalCollection(absl::string_view value) {
  return java::SplitCommaList(value).size() <= 1
             ? ""
             : "For single task connector only one signal data collection is permitted.";
}

std::string CheckFractionDigits(absl::string_view value) {
  constexpr int32_t kMost = 18;  // more than money has
  int32_t digits = 0;
  return absl::SimpleAtoi(value, &digits) && digits <= kMost ? ""
                                                             : "At most 18 digits are expected";
}

std::string CheckPlaceholder(absl::string_view value) {
  if (!absl::ConsumePrefix(&value, "hex:")) return "";
  const bool digits = std::all_of(value.begin(), value.end(), [](char c) {
    return absl::ascii_isxdigit(static_cast<unsigned char>(c));
  });
  return digits && value.size() % 2 == 0 ? ""
                                         : "Pairs of hexadecimal digits are expected after 'hex:'";
}

}  // namespace walduct::loader
