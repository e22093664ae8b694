// Properties that only walduct has.
#include "config/properties/definition.h"
#include "config/properties/validators.h"

namespace walduct::config {
namespace {

using enum PropertyType;
using enum Support;
constexpr PropertyGroup kGroup = PropertyGroup::kWalduct;

constexpr PropertyDefinition kDefinitions[] = {
    {.name = "sink",
     .group = kGroup,
     .type = kEnum,
     .default_value = "kafka",
     .doc = "Where records go: to Kafka, or as one JSON object per record to standard output or a "
            "file.",
     .allowed = "kafka, stdout, file"},
    {.name = "sink.file.path", .group = kGroup, .doc = "File of sink=file."},
    {.name = "walduct.connect.timeout.ms",
     .group = kGroup,
     .type = kPositiveLong,
     .default_value = "30000",
     .doc = "Longest wait for a connection to PostgreSQL."},
    {.name = "walduct.lost.values",
     .group = kGroup,
     .type = kEnum,
     .default_value = "debezium",
     .doc = "Values that Debezium loses: its bytes (mostly null), or the values, see "
            "docs/differences.md.",
     .allowed = "debezium, keep"},
    {.name = "walduct.shutdown.timeout.ms",
     .group = kGroup,
     .type = kPositiveLong,
     .default_value = "8000",
     .doc = "Longest wait for records in flight at a stop."},
    {.name = "walduct.catalog.delay.ms",
     .group = kGroup,
     .type = kNonNegativeLong,
     .default_value = "500",
     .doc = "How long after its commit the change that announces a table, or a change of one, is "
            "described "
            "from the catalog: a migration of several statements is then seen whole. Costs nothing "
            "when "
            "the stream lags."},
    {.name = "walduct.unknown.properties",
     .group = kGroup,
     .type = kEnum,
     .default_value = "warn",
     .doc = "What a property that walduct does not know leads to: a warning or a refusal to start. "
            "Unknown names that begin with walduct. are always refused.",
     .allowed = "warn, fail"},
    {.name = "walduct.strict",
     .group = kGroup,
     .type = kBoolean,
     .default_value = "false",
     .doc =
         "Whether configurations of the outbox that are not right are refused, with the lines to "
         "write, instead of being read as what was probably meant; see docs/outbox.md."},
    {.name = "walduct.outbox.tables",
     .group = kGroup,
     .type = kRegexList,
     .doc =
         "Outbox tables, as schema.table like table.include.list; of a partitioned table its own "
         "name. Their rows become events; housekeeping touches no other table."},
    {.name = "walduct.outbox.route",
     .group = kGroup,
     .type = kBoolean,
     .default_value = "true",
     .doc = "Whether rows of walduct.outbox.tables, and of no other table, go through the "
            "EventRouter: those of transforms that have no predicate, else one with Debezium's "
            "defaults."},
    {.name = "walduct.outbox.cleanup",
     .group = kGroup,
     .type = kEnum,
     .default_value = "none",
     .doc = "Housekeeping of the outbox tables: delete rows, or drop partitions by time, that are "
            "past walduct.outbox.retention.ms and certain to have been acknowledged.",
     .allowed = "none, delete, drop_partitions"},
    {.name = "walduct.outbox.retention.ms",
     .group = kGroup,
     .type = kNonNegativeLong,
     .default_value = "604800000",
     .doc = "How long outbox rows are kept; 0: as soon as they are acknowledged."},
    {.name = "walduct.outbox.cleanup.time.column",
     .group = kGroup,
     .doc = "Timestamp column that says how old an outbox row is; the one of created_at, "
            "occurred_at, timestamp, ts that the table has when not set. Not needed with a "
            "retention of 0."},
    {.name = "walduct.outbox.cleanup.interval.ms",
     .group = kGroup,
     .type = kPositiveLong,
     .default_value = "60000",
     .doc = "Time between rounds of housekeeping."},
    {.name = "walduct.outbox.cleanup.batch.size",
     .group = kGroup,
     .type = kPositiveInt,
     .default_value = "1000",
     .doc = "Rows deleted by one statement, which is a transaction of its own."},
    {.name = "walduct.outbox.cleanup.history",
     .group = kGroup,
     .type = kEnum,
     .default_value = "fail",
     .doc =
         "What to do at a first start that publishes only new rows (snapshot.mode=no_data) while "
         "the outbox tables hold older ones: refuse, or delete them in time though walduct never "
         "published them.",
     .allowed = "fail, delete"},
};

}  // namespace

absl::Span<const PropertyDefinition> WalductDefinitions() { return kDefinitions; }

}  // namespace walduct::config
