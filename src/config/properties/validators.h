// Checks of single property values beyond their type. Each returns "" or what is wrong, in
// Debezium's words where Debezium has some. Pure functions.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/definition.h"

namespace walduct::config {

// The check of the definition's type, its list of allowed values, then its own validator. value is
// trimmed here, as Connect does, except for strings and passwords.
std::string CheckValue(const PropertyDefinition& definition, absl::string_view value);

// value as it will be used: trimmed unless a string or password; enums and booleans in lower case,
// older spellings replaced.
std::string NormalizeValue(const PropertyDefinition& definition, absl::string_view value);

std::string CheckTopicName(absl::string_view value);
std::string CheckWholeTopicName(absl::string_view value);
std::string CheckTopicPartitions(absl::string_view value);
// k=v,…, as Java splits it.
std::string CheckPairs(absl::string_view value);

}  // namespace walduct::config
