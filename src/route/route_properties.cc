#include "route/route_properties.h"

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "config/properties/validators.h"
#include "java/text/text_lists.h"
#include "route/message_keys.h"
#include "route/topic_naming_properties.h"

namespace walduct::route {
namespace {

using enum config::PropertyType;
using enum config::Support;

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
  const absl::StatusOr<MessageKeys> keys = MessageKeys::Parse(value);
  return keys.ok() ? "" : std::string(keys.status().message());
}

constexpr absl::string_view kTopicFix = "use letters, digits, '.', '_' and '-'";

constexpr absl::string_view kStrategies =
    "use SchemaTopicNamingStrategy, SchemaUnicodeTopicNamingStrategy, "
    "SchemaRegexTopicNamingStrategy or their "
    "Default… forms of io.debezium.schema";

constexpr config::PropertyDefinition kMessages[] = {
    {.name = "message.prefix.include.list",
     .type = kRegexList,
     .doc = "Prefixes of logical decoding messages to capture; default: all."},
    {.name = "message.prefix.exclude.list",
     .type = kRegexList,
     .doc = "Prefixes of logical decoding messages not to capture."},
};

constexpr config::PropertyDefinition kTopics[] = {
    {.name = "topic.prefix",
     .doc = "Logical name of the server: prefix of every topic name, and part of the stored "
            "position's key.",
     .aliases = "database.server.name",
     .fix = kTopicFix,
     .validator = config::CheckTopicName,
     .required = true},
    {.name = "topic.naming.strategy",
     .type = kClass,
     .default_value = "io.debezium.schema.SchemaTopicNamingStrategy",
     .doc = "How topic names are derived from table names: prefix.schema.table (Schema…), "
            "prefix.table (Default…), with invalid characters as _uXXXX (…Unicode…) or rewritten "
            "by a regular expression (…Regex…).",
     .fix = kStrategies,
     .validator = CheckNamingStrategy},
    {.name = "topic.delimiter",
     .default_value = ".",
     .doc = "Delimiter between the parts of a topic name.",
     .fix = kTopicFix,
     .validator = config::CheckTopicName},
    {.name = "topic.cache.size",
     .type = kPositiveInt,
     .default_value = "10000",
     .support = kNoEffect,
     .doc = "Number of topic names cached in memory.",
     .note = "names are computed once per table"},
    {.name = "topic.transaction",
     .default_value = "transaction",
     .doc = "Suffix of the transaction topic's name.",
     .fix = kTopicFix,
     .validator = config::CheckTopicName},
    {.name = "topic.heartbeat.prefix",
     .default_value = "__debezium-heartbeat",
     .doc = "Prefix of the heartbeat topic's name; topic.prefix follows.",
     .fix = kTopicFix,
     .validator = config::CheckTopicName},
    {.name = "topic.heartbeat.name",
     .doc = "Full name of the heartbeat topic; replaces prefix and delimiter.",
     .fix = kTopicFix,
     .validator = config::CheckTopicName},
    {.name = "heartbeat.topics.prefix",
     .default_value = "__debezium-heartbeat",
     .support = kNoEffect,
     .doc = "Older form of topic.heartbeat.prefix.",
     .note = "Debezium ignores it"},
    {.name = "topic.regex",
     .type = kRegex,
     .doc = "Regular expression over whole topic names, for the …Regex… naming strategies."},
    {.name = "topic.replacement",
     .doc = "Replacement for topic.regex; $1 and ${name} refer to its groups."},
    {.name = "topic.key.enforce.uniqueness",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Add a field with the table's name to the key, with a …Regex… naming strategy."},
    {.name = "topic.key.field.name",
     .default_value = "__dbz__physicalTableIdentifier",
     .doc = "Name of that field."},
    {.name = "topic.key.field.regex",
     .type = kRegex,
     .doc = "Regular expression over the topic's original name, to shorten that field's value."},
    {.name = "topic.key.field.replacement", .doc = "Replacement for topic.key.field.regex."},
    {.name = "message.key.columns",
     .doc = "Key columns of tables, instead of the primary key: regular expressions "
            "table:column,column;table:column over schema.table and column.",
     .fix = "use schema.table:column1,column2;schema.table2:column",
     .validator = CheckMessageKeyColumns},
    {.name = "tombstones.on.delete",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write a record with a null value after each delete, for compacted topics."},
    {.name = "provide.transaction.metadata",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Write transaction boundaries to a topic and number the records of each transaction."},
};

constexpr config::PropertyDefinition kOperations[] = {
    {.name = "skipped.operations",
     .type = kList,
     .default_value = "t",
     .doc = "Operations to skip while streaming: c, u, d, t, or none.",
     .fix = "use a list of c, u, d, t, or none",
     .validator = CheckSkippedOperations},
    {.name = "skip.messages.without.change",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Skip updates that change no included column; needs REPLICA IDENTITY FULL, of a "
            "partitioned "
            "table that of its partitions."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> MessageProperties() { return kMessages; }
absl::Span<const config::PropertyDefinition> TopicProperties() { return kTopics; }
absl::Span<const config::PropertyDefinition> OperationProperties() { return kOperations; }

void WarnOfOperations(const config::PropertySet& properties, config::Findings* findings) {
  if (!java::ListContains(properties.Text("skipped.operations"), "r")) return;
  findings->Warn("skipped.operations", "'r' has no effect: snapshot rows are always written");
}

RouteOptions BuildRoute(const config::PropertySet& properties) {
  RouteOptions route;
  route.topic_prefix = properties.Text("topic.prefix");
  route.topic_delimiter = properties.Text("topic.delimiter");
  route.naming = BuildTopicNaming(properties);
  if (properties.IsSet("message.key.columns")) {
    absl::StatusOr<MessageKeys> keys = MessageKeys::Parse(properties.Text("message.key.columns"));
    CHECK(keys.ok());  // checked before
    route.message_keys = *std::move(keys);
  }
  route.skip_unchanged = properties.Boolean("skip.messages.without.change");
  route.transaction_metadata = properties.Boolean("provide.transaction.metadata");
  route.transaction_suffix = properties.Text("topic.transaction");
  route.heartbeat_prefix = properties.Text("topic.heartbeat.prefix");
  route.heartbeat_topic = properties.Text("topic.heartbeat.name");
  route.message_include = properties.Regexes("message.prefix.include.list");
  route.message_exclude = properties.Regexes("message.prefix.exclude.list");
  route.tombstones_on_delete = properties.Boolean("tombstones.on.delete");
  const std::string skipped = properties.Text("skipped.operations");
  route.skip_create = java::ListContains(skipped, "c");
  route.skip_update = java::ListContains(skipped, "u");
  route.skip_delete = java::ListContains(skipped, "d");
  route.skip_truncate = java::ListContains(skipped, "t");
  return route;
}

}  // namespace walduct::route
