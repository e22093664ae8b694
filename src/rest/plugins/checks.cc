// Source: io/debezium/config/Field.java (Debezium 3.6), common/config/ConfigDef.java (Kafka 4.3).
#include "rest/plugins/checks.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "java/regex/regex.h"
#include "java/regex/regex_list.h"

namespace walduct::rest {
namespace {

bool IsNumber(absl::string_view text, int64_t least, int64_t most) {
  int64_t number = 0;
  return !absl::StrContains(text, " ") && absl::SimpleAtoi(text, &number) && number >= least &&
         number <= most;
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
  const bool good = std::all_of(value.begin(), value.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  });
  return good ? ""
              : absl::StrCat(value,
                             " has invalid format (only the underscore, hyphen, dot and "
                             "alphanumeric characters are allowed)");
}

std::string CheckQueueSize(absl::string_view value, const ConfigMap& config) {
  int64_t queue = 0;
  int64_t batch = 2048;
  if (!absl::SimpleAtoi(value, &queue)) return "An integer is expected";
  if (const std::string* given = FindValue(config, "max.batch.size"))
    static_cast<void>(absl::SimpleAtoi(*given, &batch));
  if (queue <= 0) return "A positive queue size is required";
  return queue <= batch ? "Must be larger than the maximum batch size" : "";
}

// Java's words for what people get wrong most; ours for the rest.
std::string JavaPatternError(absl::string_view list, absl::string_view ours) {
  for (const std::string& one : std::vector<std::string>(absl::StrSplit(list, ','))) {
    const std::string pattern(absl::StripAsciiWhitespace(one));
    if (java::Regex::Compile(pattern, {.case_insensitive = true}).ok()) continue;
    const auto opened = std::count(pattern.begin(), pattern.end(), '(');
    const auto closed = std::count(pattern.begin(), pattern.end(), ')');
    if (opened > closed)
      return absl::StrCat("Unclosed group near index ", pattern.size(), "\n", pattern);
    if (pattern[0] == '*')
      return absl::StrCat("Dangling meta character '*' near index 0\n", pattern, "\n^");
  }
  return std::string(ours);
}

std::string CheckRegexes(const std::string& value) {
  const absl::StatusOr<java::RegexList> list = java::RegexList::Parse(value);
  if (list.ok()) return "";
  return absl::StrCat("A comma-separated list of valid regular expressions is expected, but ",
                      JavaPatternError(value, list.status().message()));
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
  if (value == nullptr) return "";
  for (const NumberCheck& one : kNumbers) {
    if (one.name == check)
      return IsNumber(*value, one.least, one.most) ? "" : std::string(one.reason);
  }
  if (check == "bool") {
    const bool good =
        absl::EqualsIgnoreCase(*value, "true") || absl::EqualsIgnoreCase(*value, "false");
    return good ? "" : "Either 'true' or 'false' is expected";
  }
  if (check == "slotname") return CheckSlotName(*value);
  if (check == "topicname") return CheckTopicPrefix(*value);
  if (check == "queuesize") return CheckQueueSize(*value, config);
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

// A value of a type that has no checks is any text.
std::string KafkaTypeReason(const Definition& definition, const std::string& value) {
  const bool is_int = definition.type == "INT" || definition.type == "SHORT";
  if ((is_int && !IsNumber(value, kIntMin, kIntMax)) ||
      (definition.type == "LONG" && !IsNumber(value, kLongMin, kLongMax)))
    return absl::StrCat("Not a number of type ", definition.type);
  if (definition.type == "BOOLEAN" && !absl::EqualsIgnoreCase(value, "true") &&
      !absl::EqualsIgnoreCase(value, "false"))
    return "Expected value to be either true or false";
  return "";
}

std::string CheckText(const std::string* value) {
  if (value == nullptr) return "";
  if (value->empty()) return "String may not be empty";
  std::vector<int> found;
  for (const char c : *value) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) found.push_back(c);
  }
  if (found.empty()) return "";
  return absl::StrCat(
      "String may not contain control sequences but had the following ASCII chars: ",
      absl::StrJoin(found, ", "));
}

std::string KafkaReason(absl::string_view check, const std::string* value) {
  if (check == "ktext") return CheckText(value);
  if (check == "kmin1") {
    int64_t number = 0;
    if (value == nullptr) return "Value must be non-null";
    return absl::SimpleAtoi(*value, &number) && number < 1 ? "Value must be at least 1" : "";
  }
  if (check == "kregex") {
    if (value == nullptr) return "Invalid regex: null";
    const auto regex = java::Regex::Compile(*value, {});
    return regex.ok() ? "" : absl::StrCat("Invalid regex: ", regex.status().message());
  }
  if (absl::ConsumePrefix(&check, "kin:")) {
    const std::vector<std::string> allowed = absl::StrSplit(check, ", ");
    const bool good =
        value != nullptr && std::find(allowed.begin(), allowed.end(), *value) != allowed.end();
    return good ? "" : absl::StrCat("String must be one of: ", check);
  }
  if (absl::ConsumePrefix(&check, "kenum:")) {
    const std::vector<std::string> allowed = absl::StrSplit(check, '|');
    if (value != nullptr && IsOneOf(*value, allowed)) return "";
    return absl::StrCat("String must be one of (case insensitive): ",
                        absl::AsciiStrToUpper(absl::StrJoin(allowed, ", ")));
  }
  return "";
}

}  // namespace

std::vector<std::string> DebeziumErrors(const Definition& definition, const ConfigMap& config) {
  const std::string* value = FindValue(config, definition.name);
  std::vector<std::string> errors;
  const auto check = [&](absl::string_view name) {
    const std::string reason = DebeziumReason(name, definition, value, config);
    if (!reason.empty())
      errors.push_back(absl::StrCat("The '", definition.name, "' value is invalid: ", reason));
  };
  check(TypeCheck(definition));
  for (const std::string& name : definition.checks) check(name);
  return errors;
}

std::vector<std::string> KafkaErrors(const Definition& definition, const std::string* value,
                                     const std::string& checked_as, bool* valid) {
  std::vector<std::string> errors;
  const auto add = [&](absl::string_view shown, absl::string_view name, absl::string_view reason) {
    errors.push_back(
        absl::StrCat("Invalid value ", shown, " for configuration ", name, ": ", reason));
  };
  *valid = true;
  if (value == nullptr && definition.required) {
    errors.push_back(absl::StrCat("Missing required configuration \"", definition.name,
                                  "\" which has no default value."));
    *valid = false;
  }
  if (value != nullptr) {
    if (const std::string reason = KafkaTypeReason(definition, *value); !reason.empty()) {
      add(*value, definition.name, reason);
      *valid = false;
    }
  }
  const std::string* checked = *valid ? value : nullptr;
  for (const std::string& check : definition.checks) {
    const bool optional = checked == nullptr && *valid && !definition.required;
    const std::string reason = optional ? "" : KafkaReason(check, checked);
    if (reason.empty()) continue;
    add(checked == nullptr ? "null" : *checked, checked_as, reason);
    *valid = false;
  }
  return errors;
}

}  // namespace walduct::rest
