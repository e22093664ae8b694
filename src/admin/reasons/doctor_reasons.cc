#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "clock_skew",
     .meaning = "The clocks of the database server and of this machine differ by seconds: lag and "
                "ts_ms are wrong by that.",
     .remedy = "Synchronise both: timedatectl set-ntp true."},
    {.name = "database_without_encoding",
     .meaning = "The database's encoding is SQL_ASCII: it may hold text that is not UTF-8, which "
                "cannot be published.",
     .remedy = "Move to a database with encoding UTF8."},
    {.name = "idle_slot_timeout_set",
     .meaning = "The server invalidates slots that nobody reads for a time: a stopped connector "
                "loses its slot.",
     .remedy = "ALTER SYSTEM RESET idle_replication_slot_timeout; SELECT pg_reload_conf()."},
    {.name = "long_transaction",
     .meaning = "A transaction has been open for long; creating the slot waits for its end.",
     .remedy = "End it, or SELECT pg_terminate_backend(PID)."},
    {.name = "message_limit_small",
     .meaning = "Topic or broker take smaller records than max.request.size allows.",
     .remedy = "Raise max.message.bytes of the topic, or message.max.bytes of the brokers."},
    {.name = "no_tables_captured",
     .meaning = "No table of the database passes the include and exclude lists.",
     .remedy = "Their entries are regular expressions over schema.table."},
    {.name = "offset_topic_missing",
     .meaning = "The offset topic does not exist: the connector has not run, or with another one.",
     .remedy = "Nothing before the first start; else check offset.storage.topic."},
    {.name = "other_slot_inactive",
     .meaning = "A slot that is none of this connector keeps more than 1 GB of WAL, and nobody "
                "reads it.",
     .remedy = "Start its reader, or SELECT pg_drop_replication_slot('NAME')."},
    {.name = "password_expires",
     .meaning = "The role's password expires within two weeks.",
     .remedy = "ALTER ROLE NAME VALID UNTIL 'infinity', or a new password."},
    {.name = "publication_key_not_sent",
     .meaning = "The replica identity is an index without all columns of the primary key: deletes "
                "lack the key.",
     .remedy = "ALTER TABLE … REPLICA IDENTITY DEFAULT, or FULL."},
    {.name = "publication_lacks_tables",
     .meaning = "Captured tables are not in the publication: their changes are not captured.",
     .remedy = "ALTER PUBLICATION … ADD TABLE …."},
    {.name = "publication_refuses_writes",
     .meaning = "Published tables have no replica identity: the server refuses UPDATE and DELETE "
                "of applications.",
     .remedy = "Add a primary key, or ALTER TABLE … REPLICA IDENTITY FULL."},
    {.name = "publication_without_partitions",
     .meaning = "A partitioned table is captured, but the publication sends its rows under the "
                "names of partitions that are not.",
     .remedy = "publish.via.partition.root=true and ALTER PUBLICATION … SET "
               "(publish_via_partition_root)."},
    {.name = "publication_would_refuse_writes",
     .meaning = "The publication that a start creates would hold tables without replica identity: "
                "the server refuses their UPDATE and DELETE from then on.",
     .remedy = "Add a primary key, or ALTER TABLE … REPLICA IDENTITY FULL, before the start."},
    {.name = "slot_inactive",
     .meaning = "Nobody reads the connector's slot, and the server keeps WAL for it.",
     .remedy = "Start the connector, or drop the slot when it is not needed any more."},
    {.name = "slot_unreserved",
     .loses = true,
     .meaning = "The slot is behind by more than max_slot_wal_keep_size: the next checkpoint may "
                "invalidate it.",
     .remedy = "At once: ALTER SYSTEM SET max_slot_wal_keep_size = '-1'; SELECT "
               "pg_reload_conf(); then let the connector catch up."},
    {.name = "wal_keep_small",
     .meaning = "max_slot_wal_keep_size is below 1 GB: the slot is lost soon after the connector "
                "stands still.",
     .remedy = "ALTER SYSTEM SET max_slot_wal_keep_size = '50GB'; SELECT pg_reload_conf()."},
    {.name = "wal_keep_unlimited",
     .meaning = "max_slot_wal_keep_size is -1: a connector that stands still fills the server's "
                "disk with WAL. With a limit, the slot is lost instead.",
     .remedy = "Choose, and watch the alerts of docs/alerts.md."},
    {.name = "wal_sender_timeout_off",
     .meaning = "The server never notices that a reader is gone; another cannot take its slot.",
     .remedy = "ALTER SYSTEM SET wal_sender_timeout = '60s'; SELECT pg_reload_conf()."},
    {.name = "wal_sender_timeout_short",
     .meaning = "The server ends the stream after a short pause of the network.",
     .remedy = "ALTER SYSTEM SET wal_sender_timeout = '60s'; SELECT pg_reload_conf()."},
};

}  // namespace

absl::Span<const Reason> DoctorReasons() { return kRows; }

}  // namespace walduct::admin
