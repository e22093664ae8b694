// Topic names as Debezium's SchemaTopicNamingStrategy makes them: prefix, schema and table joined
// by the delimiter, blank parts left out, then sanitized. Pure; thread-safe.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::transform {

struct TopicParts {
  absl::string_view prefix;
  absl::string_view delimiter;
  absl::string_view schema;
  absl::string_view table;
};

std::string TableTopic(const TopicParts& parts);

// Topic of logical decoding messages. The dot is fixed, whatever topic.delimiter says.
std::string MessageTopic(absl::string_view prefix);

// What Kafka accepts: each UTF-16 unit outside [A-Za-z0-9._-] becomes '_'; at most 249 characters;
// "." and ".." become "_" and "__".
std::string SanitizeTopic(absl::string_view name);

}  // namespace walduct::transform
