#include "outbox/outbox_properties.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "java/text/text_lists.h"

namespace walduct::outbox {
namespace {

using enum config::PropertyType;

constexpr config::PropertyDefinition kRows[] = {
    {.name = "walduct.outbox.tables",
     .type = kRegexList,
     .doc = "Outbox tables, as schema.table like table.include.list; for a partitioned table, the "
            "parent's name. Their rows become events; housekeeping touches no other table."},
    {.name = "walduct.outbox.route",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Route rows of walduct.outbox.tables, and of no other table, through the EventRouter: "
            "those of transforms that have no predicate, else one with Debezium's "
            "defaults."},
    {.name = "walduct.outbox.cleanup",
     .type = kEnum,
     .default_value = "none",
     .doc = "Housekeeping of the outbox tables: delete rows, or drop time partitions, that are "
            "older than walduct.outbox.retention.ms and certainly acknowledged.",
     .allowed = "none, delete, drop_partitions"},
    {.name = "walduct.outbox.retention.ms",
     .type = kNonNegativeLong,
     .default_value = "604800000",
     .doc = "How long outbox rows are kept; 0: until they are acknowledged."},
    {.name = "walduct.outbox.cleanup.time.column",
     .doc =
         "Timestamp column that gives the age of an outbox row; default: whichever of created_at, "
         "occurred_at, timestamp, ts the table has. Not needed with a retention of 0."},
    {.name = "walduct.outbox.cleanup.interval.ms",
     .type = kPositiveLong,
     .default_value = "60000",
     .doc = "Interval between rounds of housekeeping."},
    {.name = "walduct.outbox.cleanup.batch.size",
     .type = kPositiveInt,
     .default_value = "1000",
     .doc = "Rows deleted per statement and transaction."},
    {.name = "walduct.outbox.cleanup.history",
     .type = kEnum,
     .default_value = "fail",
     .doc =
         "What to do at a first start that publishes only new rows (snapshot.mode=no_data) while "
         "the outbox tables hold older ones: refuse to start, or delete them although walduct "
         "never published them.",
     .allowed = "fail, delete"},
    {.name = "walduct.outbox.source",
     .type = kEnum,
     .default_value = "slot",
     .doc =
         "Where outbox rows come from: the replication slot, or the tables themselves, which are "
         "polled: without wal_level=logical, slot and publication (docs/outbox.md).",
     .allowed = "slot, poll"},
    {.name = "walduct.outbox.publish.locally",
     .type = kBoolean,
     .default_value = "false",
     .doc = "With walduct.outbox.source=poll, that rows count as published which sink=stdout or "
            "sink=file has: they are marked or deleted, and reach no topic. For a table of a test, "
            "or one whose events stay on this machine; else those sinks are refused."},
    {.name = "walduct.outbox.done",
     .type = kEnum,
     .default_value = "mark",
     .doc = "With walduct.outbox.source=poll, what becomes of a row once it is acknowledged: its "
            "column of state says so, it is deleted, it is moved to an archive table, or nothing: "
            "walduct remembers a position, and the table has a column xid8 DEFAULT "
            "pg_current_xact_id().",
     .allowed = "mark, delete, archive, position"},
    {.name = "walduct.outbox.archive.suffix",
     .default_value = "_archive",
     .doc = "With walduct.outbox.done=archive, what stands behind an outbox table's name in that "
            "of the table, of the same schema, that its rows are moved to."},
    {.name = "walduct.outbox.where",
     .doc = "With walduct.outbox.source=poll, SQL that the rows to be published meet, such as "
            "handler_id = 'mail'."},
    {.name = "walduct.outbox.lease.ms",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "With walduct.outbox.source=poll, when a row that a worker of the table's own library "
            "has leased is taken over, where the row does not say it; 0: never."},
    {.name = "walduct.outbox.poll.interval.ms",
     .type = kPositiveLong,
     .default_value = "5000",
     .doc = "With walduct.outbox.source=poll, the longest pause between two looks at a table that "
            "has nothing new."},
    {.name = "walduct.outbox.poll.batch.size",
     .type = kPositiveInt,
     .default_value = "5000",
     .doc = "With walduct.outbox.source=poll, how many rows may be handed to the sink and not be "
            "marked yet; half of them are read at once."},
    {.name = "walduct.outbox.order",
     .type = kEnum,
     .default_value = "key",
     .doc =
         "With walduct.outbox.source=poll, whether rows of one key are published in their order, "
         "for which later ones wait while one fails, is parked, locked or not due; or in none: "
         "no row waits for another.",
     .allowed = "key, none"},
    {.name = "walduct.outbox.workers",
     .type = kPositiveInt,
     .default_value = "1",
     .doc = "With walduct.outbox.source=poll, how many sessions and threads share the keys of the "
            "outbox tables, each key always with the same one; also of several processes that have "
            "the same number."},
    {.name = "walduct.outbox.max.attempts",
     .type = kNonNegativeLong,
     .default_value = "10",
     .doc = "With walduct.outbox.source=poll, how often a row that cannot be published is tried "
            "before it is parked, where the table has a column that counts attempts; 0: it stops "
            "the connector, as it does where there is no such column."},
    {.name = "walduct.outbox.attempts.backoff.ms",
     .type = kPositiveLong,
     .default_value = "1000",
     .doc = "With walduct.outbox.source=poll, the pause before the second attempt to publish a "
            "row. Each is twice as long as the one before, five minutes at most, less up to "
            "half of it by chance."},
    {.name = "walduct.outbox.parked",
     .type = kEnum,
     .default_value = "hold",
     .doc = "With walduct.outbox.source=poll, whether a parked row holds later rows of its key "
            "back, so that their order is kept, or lets them pass.",
     .allowed = "hold, pass"},
};

// Plain words match no schema.table.
void CheckOutboxTables(const config::PropertySet& properties, config::Findings* findings) {
  for (const std::string& item : java::SplitCommaList(properties.Text("walduct.outbox.tables"))) {
    const bool plain = std::all_of(item.begin(), item.end(), [](unsigned char c) {
      return absl::ascii_isalnum(c) || c == '_' || c == '-';
    });
    if (!plain) continue;
    findings->Error("walduct.outbox.tables",
                    absl::StrCat("has the item '", item, "' without a schema"),
                    absl::StrCat("write the whole name, as in public.", item));
  }
}

OutboxCleanup ParseOutboxCleanup(absl::string_view mode) {
  if (mode == "delete") return OutboxCleanup::kDelete;
  if (mode == "drop_partitions") return OutboxCleanup::kDropPartitions;
  CHECK(mode == "none");
  return OutboxCleanup::kNone;
}

}  // namespace

absl::Span<const config::PropertyDefinition> OutboxProperties() { return kRows; }

void CheckOutbox(const config::PropertySet& properties, config::Findings* findings) {
  CheckOutboxTables(properties, findings);
  if (properties.Text("walduct.outbox.cleanup") == "none" ||
      properties.IsSet("walduct.outbox.tables"))
    return;
  findings->Error("walduct.outbox.tables", "A value is required for walduct.outbox.cleanup",
                  "list the outbox tables as schema.table, or set walduct.outbox.cleanup=none");
}

OutboxOptions BuildOutbox(const config::PropertySet& properties) {
  OutboxOptions outbox;
  outbox.tables = properties.Regexes("walduct.outbox.tables");
  outbox.cleanup = ParseOutboxCleanup(properties.Text("walduct.outbox.cleanup"));
  outbox.retention = properties.Milliseconds("walduct.outbox.retention.ms");
  outbox.time_column = properties.Text("walduct.outbox.cleanup.time.column");
  outbox.interval = properties.Milliseconds("walduct.outbox.cleanup.interval.ms");
  outbox.batch_rows = properties.Integer("walduct.outbox.cleanup.batch.size");
  outbox.delete_history = properties.Text("walduct.outbox.cleanup.history") == "delete";
  outbox.deletes_done = properties.Text("walduct.outbox.done") == "delete";
  const std::string mode = properties.Text("snapshot.mode");
  outbox.skips_history = mode == "no_data" || mode == "never" || mode == "schema_only";
  outbox.archives = properties.Text("walduct.outbox.done") == "archive";
  outbox.archive_suffix = properties.Text("walduct.outbox.archive.suffix");
  outbox.positions = properties.Text("walduct.outbox.done") == "position";
  outbox.where = properties.Text("walduct.outbox.where");
  outbox.lease = properties.Milliseconds("walduct.outbox.lease.ms");
  outbox.longest_pause = properties.Milliseconds("walduct.outbox.poll.interval.ms");
  outbox.publish_rows = properties.Integer("walduct.outbox.poll.batch.size");
  outbox.keeps_order = properties.Text("walduct.outbox.order") == "key";
  outbox.workers = properties.Integer("walduct.outbox.workers");
  outbox.max_attempts = properties.Integer("walduct.outbox.max.attempts");
  outbox.first_backoff = properties.Milliseconds("walduct.outbox.attempts.backoff.ms");
  outbox.parked_holds = properties.Text("walduct.outbox.parked") == "hold";
  return outbox;
}

}  // namespace walduct::outbox
