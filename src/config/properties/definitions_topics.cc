// Debezium's properties of topic names and of records that are not rows.
#include "config/properties/definition.h"
#include "config/properties/validators.h"

namespace walduct::config {
namespace {

using enum PropertyType;
using enum Support;
constexpr PropertyGroup kGroup = PropertyGroup::kTopics;
constexpr absl::string_view kTopicFix = "use letters, digits, '.', '_' and '-'";
constexpr absl::string_view kStrategies =
    "use SchemaTopicNamingStrategy, SchemaUnicodeTopicNamingStrategy, "
    "SchemaRegexTopicNamingStrategy or their "
    "Default… forms of io.debezium.schema";

constexpr PropertyDefinition kDefinitions[] = {
    {.name = "topic.prefix",
     .group = kGroup,
     .doc =
         "Logical name of the server: first part of every topic and of the stored position's key.",
     .aliases = "database.server.name",
     .fix = kTopicFix,
     .validator = CheckTopicName,
     .required = true},
    {.name = "topic.naming.strategy",
     .group = kGroup,
     .type = kClass,
     .default_value = "io.debezium.schema.SchemaTopicNamingStrategy",
     .doc = "How a table's name becomes a topic's: prefix.schema.table (Schema…), prefix.table "
            "(Default…), with other characters as _uXXXX (…Unicode…) or rewritten (…Regex…).",
     .fix = kStrategies,
     .validator = CheckNamingStrategy},
    {.name = "topic.delimiter",
     .group = kGroup,
     .default_value = ".",
     .doc = "Text between the parts of a topic name.",
     .fix = kTopicFix,
     .validator = CheckTopicName},
    {.name = "topic.cache.size",
     .group = kGroup,
     .type = kPositiveInt,
     .default_value = "10000",
     .support = kNoEffect,
     .doc = "Topic names kept in memory.",
     .note = "names are computed once per table"},
    {.name = "topic.transaction",
     .group = kGroup,
     .default_value = "transaction",
     .doc = "Last part of the transaction topic's name.",
     .fix = kTopicFix,
     .validator = CheckTopicName},
    {.name = "topic.heartbeat.prefix",
     .group = kGroup,
     .default_value = "__debezium-heartbeat",
     .doc = "First part of the heartbeat topic's name; topic.prefix is the other.",
     .fix = kTopicFix,
     .validator = CheckTopicName},
    {.name = "topic.heartbeat.name",
     .group = kGroup,
     .doc = "Whole name of the heartbeat topic, in place of prefix and delimiter.",
     .fix = kTopicFix,
     .validator = CheckTopicName},
    {.name = "heartbeat.topics.prefix",
     .group = kGroup,
     .default_value = "__debezium-heartbeat",
     .support = kNoEffect,
     .doc = "Older form of topic.heartbeat.prefix.",
     .note = "Debezium no longer reads it"},
    {.name = "topic.regex",
     .group = kGroup,
     .type = kRegex,
     .doc = "Regular expression over whole topic names, for the …Regex… naming strategies."},
    {.name = "topic.replacement",
     .group = kGroup,
     .doc = "What topic.regex becomes; $1 and ${name} are its groups."},
    {.name = "topic.key.enforce.uniqueness",
     .group = kGroup,
     .type = kBoolean,
     .default_value = "true",
     .doc = "Add a field that names the table to the key, with a …Regex… naming strategy."},
    {.name = "topic.key.field.name",
     .group = kGroup,
     .default_value = "__dbz__physicalTableIdentifier",
     .doc = "Name of that field."},
    {.name = "topic.key.field.regex",
     .group = kGroup,
     .type = kRegex,
     .doc = "Regular expression over the topic's original name, to shorten that field's value."},
    {.name = "topic.key.field.replacement",
     .group = kGroup,
     .doc = "What topic.key.field.regex becomes."},
    {.name = "message.key.columns",
     .group = kGroup,
     .doc = "Key columns of tables, in place of the primary key: regular expressions "
            "table:column,column;table:column over schema.table and column.",
     .fix = "use schema.table:column1,column2;schema.table2:column",
     .validator = CheckMessageKeyColumns},
    {.name = "tombstones.on.delete",
     .group = kGroup,
     .type = kBoolean,
     .default_value = "true",
     .doc = "Write a record with a null value after each delete, for compacted topics."},
    {.name = "provide.transaction.metadata",
     .group = kGroup,
     .type = kBoolean,
     .default_value = "false",
     .doc = "Write begin and end of transactions to a topic and number the records of each."},
    {.name = "extended.headers.enabled",
     .group = kGroup,
     .type = kBoolean,
     .default_value = "true",
     .doc = "Add the __debezium.context headers to row records."},
};

}  // namespace

absl::Span<const PropertyDefinition> TopicDefinitions() { return kDefinitions; }

}  // namespace walduct::config
