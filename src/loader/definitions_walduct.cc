// Properties that only walduct has.
#include "loader/definitions.h"
#include "loader/validators.h"

namespace walduct::loader {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr config::PropertyDefinition kDefinitions[] = {
    {.name = "sink",
     .type = kEnum,
     .default_value = "kafka",
     .doc = "Where records go: to Kafka, or as one JSON object per record to standard output or a "
            "file.",
     .allowed = "kafka, stdout, file"},
    {.name = "sink.file.path", .doc = "File of sink=file."},
    {.name = "walduct.connect.timeout.ms",
     .type = kPositiveLong,
     .default_value = "30000",
     .doc = "Longest wait for a connection to PostgreSQL."},
    {.name = "walduct.lost.values",
     .type = kEnum,
     .default_value = "debezium",
     .doc = "Values that Debezium loses: its bytes (mostly null), or the values, see "
            "docs/differences.md.",
     .allowed = "debezium, keep"},
    {.name = "walduct.shutdown.timeout.ms",
     .type = kPositiveLong,
     .default_value = "8000",
     .doc = "Longest wait for records in flight at a stop."},
    {.name = "walduct.catalog.delay.ms",
     .type = kNonNegativeLong,
     .default_value = "500",
     .doc = "How long after its commit the change that announces a table, or a change of one, is "
            "described "
            "from the catalog: a migration of several statements is then seen whole. Costs nothing "
            "when "
            "the stream lags."},
};

constexpr config::PropertyDefinition kOutboxDefinitions[] = {
    {.name = "walduct.outbox.tables",
     .type = kRegexList,
     .doc =
         "Outbox tables, as schema.table like table.include.list; of a partitioned table its own "
         "name. Their rows become events; housekeeping touches no other table."},
    {.name = "walduct.outbox.route",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Whether rows of walduct.outbox.tables, and of no other table, go through the "
            "EventRouter: those of transforms that have no predicate, else one with Debezium's "
            "defaults."},
    {.name = "walduct.outbox.cleanup",
     .type = kEnum,
     .default_value = "none",
     .doc = "Housekeeping of the outbox tables: delete rows, or drop partitions by time, that are "
            "past walduct.outbox.retention.ms and certain to have been acknowledged.",
     .allowed = "none, delete, drop_partitions"},
    {.name = "walduct.outbox.retention.ms",
     .type = kNonNegativeLong,
     .default_value = "604800000",
     .doc = "How long outbox rows are kept; 0: as soon as they are acknowledged."},
    {.name = "walduct.outbox.cleanup.time.column",
     .doc = "Timestamp column that says how old an outbox row is; the one of created_at, "
            "occurred_at, timestamp, ts that the table has when not set. Not needed with a "
            "retention of 0."},
    {.name = "walduct.outbox.cleanup.interval.ms",
     .type = kPositiveLong,
     .default_value = "60000",
     .doc = "Time between rounds of housekeeping."},
    {.name = "walduct.outbox.cleanup.batch.size",
     .type = kPositiveInt,
     .default_value = "1000",
     .doc = "Rows deleted by one statement, which is a transaction of its own."},
    {.name = "walduct.outbox.cleanup.history",
     .type = kEnum,
     .default_value = "fail",
     .doc =
         "What to do at a first start that publishes only new rows (snapshot.mode=no_data) while "
         "the outbox tables hold older ones: refuse, or delete them in time though walduct never "
         "published them.",
     .allowed = "fail, delete"},
};

}  // namespace

absl::Span<const config::PropertyDefinition> WalductDefinitions() { return kDefinitions; }
absl::Span<const config::PropertyDefinition> OutboxDefinitions() { return kOutboxDefinitions; }

}  // namespace walduct::loader
