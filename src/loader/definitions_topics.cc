// Debezium's properties of topic names and of records that are not rows.
#include "loader/definitions.h"
#include "loader/validators.h"

namespace walduct::loader {
namespace {

using enum config::PropertyType;
using enum config::Support;
constexpr absl::string_view kTopicFix = "use letters, digits, '.', '_' and '-'";
constexpr absl::string_view kStrategies =
    "use SchemaTopicNamingStrategy, SchemaUnicodeTopicNamingStrategy, "
    "SchemaRegexTopicNamingStrategy or their "
    "Default… forms of io.debezium.schema";

constexpr config::PropertyDefinition kDefinitions[] = {
    {.name = "topic.prefix",
     .doc =
         "Logical name of the server: first part of every topic and of the stored position's key.",
     .aliases = "database.server.name",
     .fix = kTopicFix,
     .validator = config::CheckTopicName,
     .required = true},
    {.name = "topic.naming.strategy",
     .type = kClass,
     .default_value = "io.debezium.schema.SchemaTopicNamingStrategy",
     .doc = "How a table's name becomes a topic's: prefix.schema.table (Schema…), prefix.table "
            "(Default…), with other characters as _uXXXX (…Unicode…) or rewritten (…Regex…).",
     .fix = kStrategies,
     .validator = CheckNamingStrategy},
    {.name = "topic.delimiter",
     .default_value = ".",
     .doc = "Text between the parts of a topic name.",
     .fix = kTopicFix,
     .validator = config::CheckTopicName},
    {.name = "topic.cache.size",
     .type = kPositiveInt,
     .default_value = "10000",
     .support = kNoEffect,
     .doc = "Topic names kept in memory.",
     .note = "names are computed once per table"},
    {.name = "topic.transaction",
     .default_value = "transaction",
     .doc = "Last part of the transaction topic's name.",
     .fix = kTopicFix,
     .validator = config::CheckTopicName},
    {.name = "topic.heartbeat.prefix",
     .default_value = "__debezium-heartbeat",
     .doc = "First part of the heartbeat topic's name; topic.prefix is the other.",
     .fix = kTopicFix,
     .validator = config::CheckTopicName},
    {.name = "topic.heartbeat.name",
     .doc = "Whole name of the heartbeat topic, in place of prefix and delimiter.",
     .fix = kTopicFix,
     .validator = config::CheckTopicName},
    {.name = "heartbeat.topics.prefix",
     .default_value = "__debezium-heartbeat",
     .support = kNoEffect,
     .doc = "Older form of topic.heartbeat.prefix.",
     .note = "Debezium no longer reads it"},
    {.name = "topic.regex",
     .type = kRegex,
     .doc = "Regular expression over whole topic names, for the …Regex… naming strategies."},
    {.name = "topic.replacement",
     .doc = "What topic.regex becomes; $1 and ${name} are its groups."},
    {.name = "topic.key.enforce.uniqueness",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Add a field that names the table to the key, with a …Regex… naming strategy."},
    {.name = "topic.key.field.name",
     .default_value = "__dbz__physicalTableIdentifier",
     .doc = "Name of that field."},
    {.name = "topic.key.field.regex",
     .type = kRegex,
     .doc = "Regular expression over the topic's original name, to shorten that field's value."},
    {.name = "topic.key.field.replacement", .doc = "What topic.key.field.regex becomes."},
    {.name = "message.key.columns",
     .doc = "Key columns of tables, in place of the primary key: regular expressions "
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
     .doc = "Write begin and end of transactions to a topic and number the records of each."},
    {.name = "extended.headers.enabled",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Add the __debezium.context headers to row records."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> TopicDefinitions() { return kDefinitions; }

}  // namespace walduct::loader
