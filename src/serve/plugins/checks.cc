// Source: io/debezium/config/Field.java (Debezium 3.6).
#include "serve/plugins/checks.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "config/files/config_providers.h"
#include "config/properties/validators.h"
#include "java/regex/pattern_error.h"
#include "java/regex/regex.h"
#include "java/regex/regex_list.h"
#include "java/text/text_lists.h"

namespace walduct::serve {
namespace {

bool ReadNumber(absl::string_view text, int64_t* number) {
  int64_t read = 0;
  if (absl::StrContains(text, " ") || !absl::SimpleAtoi(text, &read)) return false;
  *number = read;
  return true;
}

bool IsNumber(absl::string_view text, int64_t least, int64_t most) {
  int64_t number = 0;
  return ReadNumber(text, &number) && number >= least && number <= most;
}

constexpr int64_t kIntMin = std::numeric_limits<int32_t>::min();
constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kLongMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kLongMax = std::numeric_limits<int64_t>::max();

struct NumberCheck {
  absl::string_view name;
  int64_t least, most;
  absl::string_view reason;
};
constexpr NumberCheck kNumbers[] = {
    {"int", kIntMin, kIntMax, "An integer is expected"},
    {"long", kLongMin, kLongMax, "A long value is expected"},
    {"posint", 1, kIntMax, "A positive, non-zero integer value is expected"},
    {"nonnegint", 0, kIntMax, "An non-negative integer is expected"},
    {"poslong", 1, kLongMax, "A positive, non-zero long value is expected"},
    {"nonneglong", 0, kLongMax, "A non-negative long value is expected"},
};

// Of the type alone, which Debezium checks first.
absl::string_view TypeCheck(const Definition& definition) {
  if (definition.type == "INT") return "int";
  if (definition.type == "LONG") return "long";
  return definition.type == "BOOLEAN" ? "bool" : "";
}

std::string CheckSlotName(absl::string_view value) {
  const bool good =
      !value.empty() && value.size() <= 63 && std::all_of(value.begin(), value.end(), [](char c) {
        return absl::ascii_islower(static_cast<unsigned char>(c)) ||
               absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
      });
  return good ? ""
              : "Valid replication slot name must contain only digits, lowercase characters and "
                "underscores with length <= 63";
}

std::string CheckTopicPrefix(absl::string_view value) {
  const bool good = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  });
  return good ? ""
              : absl::StrCat(value,
                             " has invalid format (only the underscore, hyphen, dot and "
                             "alphanumeric characters are allowed)");
}

// Of the default where the setting is not given.
std::vector<std::string> QueueReasons(const std::string* value, const ConfigMap& config) {
  int64_t queue = 8192;
  int64_t batch = 2048;
  if (value != nullptr && !ReadNumber(*value, &queue)) return {};  // its type is wrong
  const std::string* given = FindValue(config, "max.batch.size");
  if (given != nullptr && IsNumber(*given, kIntMin, kIntMax))
    static_cast<void>(ReadNumber(*given, &batch));
  std::vector<std::string> reasons;
  if (queue <= 0) reasons.emplace_back("A positive queue size is required");
  if (queue <= batch) reasons.emplace_back("Must be larger than the maximum batch size");
  return reasons;
}

// Where walduct takes more than Debezium (several hosts, a socket's folder, addresses with colons),
// that is right.
std::string CheckHostName(absl::string_view value) {
  const bool more = absl::StrContains(value, ",") || absl::StrContains(value, ":") ||
                    absl::StartsWith(value, "/");
  return more || absl::StripAsciiWhitespace(value).empty() ? "" : CheckTopicPrefix(value);
}

std::string CheckOperations(absl::string_view value) {
  bool none = false;
  bool some = false;
  for (const absl::string_view one : absl::StrSplit(value, ',')) {
    const absl::string_view word = absl::StripAsciiWhitespace(one);
    if (word != "c" && word != "u" && word != "d" && word != "t" && word != "none")
      return "Invalid operation";
    none = none || word == "none";
    some = some || word != "none";
  }
  return none && some ? "'none' cannot be specified with other skipped operation types" : "";
}

// A list whose items have a form.
std::vector<std::string> FormReasons(absl::string_view value, char separator,
                                     const std::string& pattern) {
  std::vector<std::string> reasons;
  if (value.empty()) reasons.emplace_back("Must not be empty");
  const auto form = java::Regex::Compile(pattern, {});
  for (const std::string& one : std::vector<std::string>(absl::StrSplit(value, separator))) {
    if (form.ok() && (*form)->FullMatch(one)) continue;
    reasons.push_back(absl::StrCat(one, " has an invalid format (expecting '", pattern, "')"));
  }
  return reasons;
}

constexpr char kKeyColumns[] = R"(^\s*([^:]+):([^:,]+(,[^:,]+)*)\s*$)";
constexpr char kIdentities[] =
    R"((?i)^\s*(?<tablepredicate>[^\s:]+):(?<replicaidentity>DEFAULT|(INDEX) (?<indexname>.\w*)|FULL|NOTHING)\s*$)";

// What a setting asks for that has an own name when it is "custom".
std::string CheckCustomName(absl::string_view of, absl::string_view name, const std::string* value,
                            const ConfigMap& config) {
  const std::string* mode = FindValue(config, of);
  const bool custom = mode != nullptr && absl::EqualsIgnoreCase(*mode, "custom");
  const bool named = value != nullptr && !absl::StripAsciiWhitespace(*value).empty();
  return !custom || named
             ? ""
             : absl::StrCat(name, " cannot be empty when ", of, " 'custom' is defined");
}

std::string CheckSinkTopic(const std::string* value, const ConfigMap& config) {
  const std::string* channels = FindValue(config, "notification.enabled.channels");
  const bool missing =
      value == nullptr && channels != nullptr && java::ListContains(*channels, "sink");
  return missing
             ? "Notification topic name must be provided when kafka notification channel is enabled"
             : "";
}

}  // namespace

std::string JavaPatternError(absl::string_view pattern, absl::string_view ours) {
  std::string error = java::PatternError(pattern);
  return error.empty() ? std::string(ours) : error;
}

namespace {

std::string CheckRegexes(const std::string& value) {
  const absl::StatusOr<java::RegexList> list = java::RegexList::Parse(value);
  if (list.ok()) return "";
  std::string why(list.status().message());
  for (const std::string& one : std::vector<std::string>(absl::StrSplit(value, ','))) {
    const absl::string_view pattern = absl::StripAsciiWhitespace(one);
    const auto regex = java::Regex::Compile(pattern, {.case_insensitive = true});
    if (regex.ok()) continue;
    why = JavaPatternError(pattern, regex.status().message());
    break;
  }
  return absl::StrCat("A comma-separated list of valid regular expressions is expected, but ", why);
}

bool IsOneOf(absl::string_view value, const std::vector<std::string>& values) {
  return std::any_of(values.begin(), values.end(), [value](const std::string& one) {
    return absl::EqualsIgnoreCase(one, absl::StripAsciiWhitespace(value));
  });
}

// "" when the value is fine.
std::string DebeziumReason(absl::string_view check, const Definition& definition,
                           const std::string* value, const ConfigMap& config) {
  if (check == "required") {
    return value == nullptr || absl::StripAsciiWhitespace(*value).empty() ? "A value is required"
                                                                          : "";
  }
  if (absl::ConsumePrefix(&check, "custom:"))
    return CheckCustomName(check, definition.name, value, config);
  if (check == "sinktopic") return CheckSinkTopic(value, config);
  if (value == nullptr) return "";
  for (const NumberCheck& one : kNumbers) {
    if (one.name == check)
      return IsNumber(*value, one.least, one.most) ? "" : std::string(one.reason);
  }
  if (check == "bool") {
    const absl::string_view word = absl::StripAsciiWhitespace(*value);
    const bool good = absl::EqualsIgnoreCase(word, "true") || absl::EqualsIgnoreCase(word, "false");
    return good ? "" : "Either 'true' or 'false' is expected";
  }
  if (check == "slotname") return CheckSlotName(*value);
  if (check == "topicname") return CheckTopicPrefix(*value);
  if (check == "hostname") return CheckHostName(*value);
  if (check == "class") return value->empty() ? "A Java class name is expected" : "";
  if (check == "operations") return CheckOperations(*value);
  if (check == "pairs") return config::CheckPairs(*value);
  if (check == "onetable") {
    return java::SplitCommaList(*value).size() > 1
               ? "For single task connector only one signal data collection is permitted."
               : "";
  }
  if (check == "regexes") return CheckRegexes(*value);
  if (check == "enum") {
    return IsOneOf(*value, definition.values)
               ? ""
               : absl::StrCat("Value must be one of ", absl::StrJoin(definition.values, ", "));
  }
  if (absl::ConsumePrefix(&check, "exclusive:")) {
    return FindValue(config, check) == nullptr
               ? ""
               : absl::StrCat("\"", check, "\" is already specified");
  }
  return "";
}

// Most checks give one reason at most.
std::vector<std::string> DebeziumReasons(absl::string_view check, const Definition& definition,
                                         const std::string* value, const ConfigMap& config) {
  if (check == "queuesize") return QueueReasons(value, config);
  if (check == "keycolumns" || check == "identities") {
    if (value == nullptr) return {};
    return check == "keycolumns" ? FormReasons(*value, ';', kKeyColumns)
                                 : FormReasons(*value, ',', kIdentities);
  }
  std::string reason = DebeziumReason(check, definition, value, config);
  if (reason.empty()) return {};
  return {std::move(reason)};
}

}  // namespace

std::vector<std::string> DebeziumErrors(const Definition& definition, const ConfigMap& config) {
  const std::string* value = FindValue(config, definition.name);
  // Connect judges what it stands for; here the loader does, which reads it.
  if (value != nullptr && config::ConfigProviders::HasReference(*value)) return {};
  std::vector<std::string> errors;
  const auto check = [&](absl::string_view name) {
    for (const std::string& reason : DebeziumReasons(name, definition, value, config))
      errors.push_back(absl::StrCat("The '", definition.name, "' value is invalid: ", reason));
  };
  check(TypeCheck(definition));
  for (const std::string& name : definition.checks) check(name);
  return errors;
}

}  // namespace walduct::serve
