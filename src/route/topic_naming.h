// Topic names as Debezium's naming strategies make them: prefix, schema and table joined by the
// delimiter, blank parts left out, then made fit for Kafka, then rewritten where a regular
// expression says so. Immutable; thread-safe.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::route {

struct RouteOptions;

class TopicNaming {
 public:
  // options is borrowed and must outlive the object.
  explicit TopicNaming(const RouteOptions& options) : options_(options) {}

  std::string TableTopic(absl::string_view schema, absl::string_view table) const;
  // The parts joined, before anything is done to them.
  std::string OriginalName(absl::string_view schema, absl::string_view table) const;
  // Value of the key field that names the table (topic.key.field.*).
  std::string KeyFieldValue(absl::string_view schema, absl::string_view table) const;
  // Several tables are meant to share a topic.
  bool joins_tables() const;

 private:
  const RouteOptions& options_;
};

// Topic of logical decoding messages. The dot is fixed, whatever topic.delimiter says.
std::string MessageTopic(absl::string_view prefix);

// Neither is sanitized: their parts were checked with the configuration.
std::string TransactionTopic(const RouteOptions& options);
std::string HeartbeatTopic(const RouteOptions& options);

// What Kafka accepts: each UTF-16 unit outside [A-Za-z0-9._-] becomes '_'; at most 249 characters;
// "." and ".." become "_" and "__". unicode: the unit, and '_' itself, becomes "_u" and its
// hexadecimal number instead.
std::string SanitizeTopic(absl::string_view name, bool unicode = false);

}  // namespace walduct::route
