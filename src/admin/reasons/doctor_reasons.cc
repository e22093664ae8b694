#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "archive_without_hold",
     .meaning = "The server archives WAL, and walduct.slot.lost=fail makes no new slot when the "
                "slot is lost: what a base backup and the archive give back ends nowhere.",
     .remedy = "walduct.slot.lost=hold. See docs/start.md."},
    {.name = "captured_table_dropped",
     .loses = true,
     .meaning = "A captured table was dropped while the connector ran: nothing comes of it any "
                "more, and nobody tells consumers that the rows it had are gone.",
     .remedy = "Where that is not meant, restore it under its name; walduct signal "
               "execute-snapshot NAME --table SCHEMA.TABLE reads what was written before it was in "
               "the publication again. Where it is, take its entry out of table.include.list and "
               "restart the process; under walduct serve PATCH the configuration, or, where no "
               "entry names it, stop and resume the connector."},
    {.name = "captured_table_renamed",
     .loses = true,
     .meaning = "A captured table has another name now, which the lists leave out.",
     .remedy = "Add the name to table.include.list and restart; or take the table out of the "
               "publication."},
    {.name = "captured_tables_changed",
     .loses = true,
     .meaning = "A captured name is another table than the stored position knows, or was not in "
                "the publication for a while: what was done to it meanwhile was sent by nobody.",
     .remedy = "walduct signal execute-snapshot NAME --table SCHEMA.TABLE, or "
               "walduct.snapshot.new.tables=incremental: docs/snapshots.md."},
    {.name = "clock_skew",
     .meaning = "The clocks of the database server and of this machine differ by seconds: lag and "
                "ts_ms are wrong by that.",
     .remedy = "Synchronise both: timedatectl set-ntp true."},
    {.name = "column_matches_nothing",
     .meaning = "An entry of column.mask.*, column.truncate.*, column.exclude.list, "
                "column.include.list or column.propagate.source.type matches no column of a "
                "captured table: it is misspelt, and the column that it means is published as if "
                "there were no such entry, as it is; or that column is gone, or still to come.",
     .remedy =
         "The line names the property, the entry and what may be meant. Correct the entry: "
         "what was published before stays in the topics; where the column is gone, take the "
         "entry out. It is a notice where walduct.allow.empty=true says that tables are to come, "
         "and, once the slot is there, of entries that hide nothing (column.include.list, "
         "column.propagate.source.type)."},
    {.name = "configuration_warning",
     .meaning = "A property has no effect, is unknown (a spelling error, as a rule), or does "
                "something else than in Debezium.",
     .remedy = "Correct its name or take it out; walduct validate prints all of them."},
    {.name = "topic_prefix_shared",
     .meaning = "Another connector of the process has the same topic.prefix. Kafka Connect takes "
                "it; tables of one name go to the same topics, and the series of both look alike.",
     .remedy = "Give each its own topic.prefix, unless they read different tables and that is "
               "meant."},
    {.name = "connection_limit_small",
     .meaning = "The role or the database allows fewer sessions than the connector needs.",
     .remedy = "ALTER ROLE NAME CONNECTION LIMIT -1, or ALTER DATABASE."},
    {.name = "beside_fails",
     .meaning = "What is done beside the stream has failed the last time: the query of heartbeats, "
                "the housekeeping of outbox tables, or (twice, one after the other) the look at "
                "the slot or at the catalog: how much WAL is kept and whether all tables are still "
                "sent is then not known. Publishing goes on.",
     .remedy = "The message is the server's, and the hint says what to type; walduct status NAME "
               "shows the same as beside."},
    {.name = "beside_waits",
     .meaning = "An incremental snapshot, or heartbeat.action.query, waits for a lock that another "
                "session holds, which the message names. The stream goes on.",
     .remedy =
         "End that transaction (COMMIT, ROLLBACK, SELECT pg_terminate_backend(PID)), or wait; "
         "walduct status NAME shows the same as beside."},
    {.name = "connector_stalled",
     .meaning =
         "A connector that runs has something to do and makes no progress: the message says "
         "for how long, and what it waits for. So does a start that a transaction or a lock of "
         "somebody else holds up.",
     .remedy =
         "The hint says what ends the wait; walduct status NAME shows the same as stalled, or "
         "waiting."},
    {.name = "database_without_encoding",
     .meaning = "The database's encoding is SQL_ASCII: it may hold text that is not UTF-8, which "
                "cannot be published.",
     .remedy = "Move to a database with encoding UTF8."},
    {.name = "decoding_memory_small",
     .meaning = "logical_decoding_work_mem is below 4 MB: larger transactions go through the "
                "server's disk.",
     .remedy = "ALTER SYSTEM SET logical_decoding_work_mem = '64MB'; SELECT pg_reload_conf()."},
    {.name = "generated_column_not_sent",
     .meaning = "PostgreSQL does not send generated columns: records of the stream lack them. From "
                "18 on it sends stored ones of a publication with publish_generated_columns = "
                "stored, or of a column list that names them.",
     .remedy = "Let consumers compute them, or fill an ordinary column by a trigger."},
    {.name = "idle_slot_timeout_set",
     .meaning = "The server invalidates slots that nobody reads for a time: a stopped connector "
                "loses its slot.",
     .remedy = "ALTER SYSTEM RESET idle_replication_slot_timeout; SELECT pg_reload_conf()."},
    {.name = "key_index_not_valid",
     .meaning =
         "The only unique index of a table without a primary key is not valid (CREATE UNIQUE "
         "INDEX CONCURRENTLY that failed): it keeps no duplicates out, and records have no "
         "key.",
     .remedy = "REINDEX INDEX CONCURRENTLY NAME, once the duplicates are gone; or "
               "message.key.columns."},
    {.name = "key_not_unique",
     .meaning = "A table without a primary key has for its key a unique index with a WHERE, over "
                "columns that may be NULL, or one that is deferrable: rows can share the key of "
                "their records, and take the place of each other in a compacted topic.",
     .remedy = "message.key.columns=SCHEMA.TABLE:COLUMN,… with columns that identify a row, or a "
               "primary key."},
    {.name = "large_values_not_sent",
     .meaning =
         "An UPDATE that leaves large (TOAST) values alone publishes a placeholder for them.",
     .remedy =
         "Let consumers keep what they have, or ALTER TABLE … REPLICA IDENTITY FULL, where the "
         "publication sends all columns of the table (publication_refuses_writes)."},
    {.name = "list_matches_nothing",
     .loses = true,
     .meaning = "An entry of table.include.list or schema.include.list matches no table of the "
                "database: it is misspelt, and the table that it means is not captured, or that "
                "is still to come. A pattern is only a notice.",
     .remedy = "The line names what may be meant, was captured before, or is in the publication. "
               "Correct the entry, and read what was written "
               "before with a snapshot; walduct.allow.empty=true says that tables are to come."},
    {.name = "long_transaction",
     .meaning = "A transaction has been open for long; creating the slot waits for its end.",
     .remedy = "End it, or SELECT pg_terminate_backend(PID)."},
    {.name = "message_limit_small",
     .meaning = "Topic or broker take smaller records than max.request.size allows.",
     .remedy = "Raise max.message.bytes of the topic, or message.max.bytes of the brokers."},
    {.name = "min_insync_unreachable",
     .meaning = "A topic has fewer replicas than min.insync.replicas: brokers before 3.7 refuse "
                "every record.",
     .remedy = "Lower min.insync.replicas, or add replicas."},
    {.name = "new_tables_not_readable",
     .meaning = "Tables that are still to be made will be captured and read without anybody asking "
                "(walduct.snapshot.new.tables=incremental, or a snapshot.mode that takes another "
                "snapshot), and the role has no default privileges on them.",
     .remedy =
         "ALTER DEFAULT PRIVILEGES FOR ROLE OWNER IN SCHEMA … GRANT SELECT ON TABLES TO NAME."},
    {.name = "no_tables_captured",
     .loses = true,
     .meaning = "No table of the database passes the include and exclude lists.",
     .remedy = "Their entries are regular expressions over schema.table."},
    {.name = "not_null_by_domain",
     .meaning = "A column is NOT NULL by its domain alone, which an outer join or a subquery that "
                "finds nothing gets by: a NULL is published as a value of the type, as Debezium "
                "does.",
     .remedy = "ALTER TABLE … ALTER COLUMN … SET NOT NULL, or walduct.lost.values=keep."},
    {.name = "not_null_not_inherited",
     .meaning = "A table has a NOT NULL column that may be NULL in a table which inherits from it, "
                "and a snapshot reads those rows, too: a NULL is published as a value of the type.",
     .remedy = "SET NOT NULL for the table that inherits, or walduct.lost.values=keep."},
    {.name = "not_null_not_valid",
     .meaning = "A NOT NULL constraint is NOT VALID: rows that were there before may hold NULL, "
                "which is published as 0, an empty text or another value of the type, as Debezium "
                "does.",
     .remedy = "Give those rows a value, then ALTER TABLE … VALIDATE CONSTRAINT …; or "
               "walduct.lost.values=keep, which writes null."},
    {.name = "offset_topic_missing",
     .meaning = "The offset topic does not exist: the connector has not run, or with another one.",
     .remedy = "Nothing before the first start; else check offset.storage.topic."},
    {.name = "other_slot_inactive",
     .meaning = "A slot that is none of this connector keeps more than 1 GB of WAL, and nobody "
                "reads it.",
     .remedy = "Start its reader, or SELECT pg_drop_replication_slot('NAME')."},
    {.name = "partition_sent_as_root",
     .loses = true,
     .meaning = "A partition is captured, but the publication sends its rows under the name of its "
                "root, which is not.",
     .remedy =
         "Capture the root, or ALTER PUBLICATION … SET (publish_via_partition_root = false)."},
    {.name = "password_expires",
     .meaning = "The role's password expires within two weeks.",
     .remedy = "ALTER ROLE NAME VALID UNTIL 'infinity', or a new password."},
    {.name = "prepared_transaction",
     .meaning = "A prepared transaction is not decided: creating the slot waits for it.",
     .remedy = "COMMIT PREPARED or ROLLBACK PREPARED."},
    {.name = "publication_column_list",
     .loses = true,
     .meaning = "The publication sends only some columns of a table.",
     .remedy = "If that is not meant, take the table out of the publication and add it again."},
    {.name = "publication_key_not_sent",
     .loses = true,
     .meaning = "The replica identity is an index without all columns of the primary key, or that "
                "of partitions lacks the key of their root's records: deletes lack the key.",
     .remedy = "ALTER TABLE … REPLICA IDENTITY DEFAULT, or FULL where the publication sends all "
               "columns of the table."},
    {.name = "publication_lacks_operations",
     .loses = true,
     .meaning = "The publication does not send inserts, updates or deletes.",
     .remedy =
         "ALTER PUBLICATION … SET (publish = 'insert, update, delete, truncate'), then walduct "
         "signal execute-snapshot NAME --table SCHEMA.TABLE for what was done before; "
         "docs/catalog.md."},
    {.name = "publication_lacks_tables",
     .loses = true,
     .meaning = "Captured tables are not in the publication: their changes are not captured.",
     .remedy = "Where publication.name was another one before, which the hint then names, set that "
               "again. Else ALTER PUBLICATION … ADD TABLE …, then walduct signal execute-snapshot "
               "NAME --table SCHEMA.TABLE for what was written before; docs/catalog.md."},
    {.name = "publication_partition_identity",
     .meaning = "A partitioned table has REPLICA IDENTITY FULL, and partitions of it have not: the "
                "server sends their old rows by the identity of the partition.",
     .remedy = "ALTER TABLE … REPLICA IDENTITY FULL for each partition, old and new, where the "
               "publication sends all columns of the table."},
    {.name = "publication_refuses_writes",
     .meaning = "The server refuses UPDATE and DELETE of applications: published tables have no "
                "replica identity, or one with columns that the publication does not send (of a "
                "column list; from PostgreSQL 18 on generated ones, also under FULL), or a row "
                "filter that reads others.",
     .remedy =
         "ALTER TABLE … REPLICA IDENTITY DEFAULT, where it has a primary key; else add one, or "
         "REPLICA IDENTITY FULL, where the publication sends all columns of the table; or ALTER "
         "PUBLICATION … SET (publish_generated_columns = stored)."},
    {.name = "publication_row_filter",
     .loses = true,
     .meaning = "The publication sends only the rows of a WHERE.",
     .remedy = "If that is not meant, take the table out of the publication and add it again."},
    {.name = "publication_sends_more",
     .meaning = "The publication names tables that the lists leave out.",
     .remedy = "Take them out of the publication, or capture them. Where several connectors share "
               "a publication it is meant. What heartbeat.action.query writes, and the signaling "
               "table, are not counted."},
    {.name = "publication_without_partitions",
     .loses = true,
     .meaning = "A partitioned table is captured, but the publication sends its rows under the "
                "names of partitions that are not.",
     .remedy = "publish.via.partition.root=true and ALTER PUBLICATION … SET "
               "(publish_via_partition_root), then walduct signal execute-snapshot NAME --table "
               "SCHEMA.TABLE for what was written before; docs/catalog.md."},
    {.name = "publication_would_refuse_writes",
     .meaning = "The publication that a start creates would hold tables without replica identity, "
                "or, from PostgreSQL 18 on, with generated columns in it: the server refuses their "
                "UPDATE and DELETE from then on.",
     .remedy = "Before the start ALTER TABLE … REPLICA IDENTITY DEFAULT, where it has a primary "
               "key; else add one, or REPLICA IDENTITY FULL, which does not do where PostgreSQL 18 "
               "has generated columns."},
    {.name = "repack_of_all_tables",
     .meaning =
         "The publication is FOR ALL TABLES, and pg_repack is installed: it fails at a table "
         "that is written to meanwhile, or refuses to begin, and what it copies is published "
         "as tables of the schema repack.",
     .remedy = "Publish the tables that are meant: publication.autocreate.mode=filtered with "
               "another publication.name."},
    {.name = "replica_identity_weaker",
     .loses = true,
     .meaning = "A captured table had REPLICA IDENTITY FULL and has not any more: records lack "
                "what was there before.",
     .remedy = "ALTER TABLE … REPLICA IDENTITY FULL, where the publication sends all columns of "
               "the table."},
    {.name = "restart_pending",
     .meaning = "wal_level, max_replication_slots or max_wal_senders was changed and waits for a "
                "restart of the server.",
     .remedy = "Restart it."},
    {.name = "signal_table_missing",
     .meaning = "The table of signal.data.collection does not exist.",
     .remedy = "Create it: docs/snapshots.md."},
    {.name = "signal_table_not_published",
     .meaning = "The publication does not send the table of signal.data.collection: signals and "
                "the marks of incremental snapshots never come.",
     .remedy = "ALTER PUBLICATION … ADD TABLE …."},
    {.name = "signal_table_not_writable",
     .meaning = "The connector's role may not write the marks of incremental snapshots into the "
                "table of signal.data.collection: they cannot run.",
     .remedy = "Run the GRANT of the hint; or set read.only=true, which writes nothing."},
    {.name = "signal_table_partitioned",
     .meaning = "The table of signal.data.collection is partitioned, and the publication sends its "
                "rows under the names of partitions: signals and the marks of incremental "
                "snapshots never come.",
     .remedy = "publish.via.partition.root=true and ALTER PUBLICATION … SET "
               "(publish_via_partition_root); or name a table that is not partitioned."},
    {.name = "slot_inactive",
     .meaning =
         "Nobody reads the connector's slot, and the server keeps WAL for it. Of a connector "
         "that polls: the slot is from before.",
     .remedy = "Start the connector, or drop the slot when it is not needed any more."},
    {.name = "slot_soon_lost",
     .loses = true,
     .meaning =
         "The slot keeps most of what max_slot_wal_keep_size allows, or, of a connector that "
         "runs, has less than ten minutes at the present rate.",
     .remedy = "At once: ALTER SYSTEM SET max_slot_wal_keep_size = '-1'; SELECT "
               "pg_reload_conf(); then look at what holds the connector up: walduct status NAME."},
    {.name = "slot_unreserved",
     .loses = true,
     .meaning = "The slot is behind by more than max_slot_wal_keep_size: the next checkpoint may "
                "invalidate it.",
     .remedy = "At once: ALTER SYSTEM SET max_slot_wal_keep_size = '-1'; SELECT "
               "pg_reload_conf(); then let the connector catch up."},
    {.name = "standby_ends_queries",
     .meaning = "The standby that the initial snapshot is read from ends queries that hold up its "
                "replay: the read of a large table may have to begin again.",
     .remedy = "hot_standby_feedback = on or max_standby_streaming_delay = -1 on the standby; "
               "walduct.snapshot.resume=true."},
    {.name = "synchronous_standby_any",
     .meaning = "synchronous_standby_names has a *: the connector counts as a synchronous standby, "
                "and commits wait for Kafka.",
     .remedy = "Name the standbys there."},
    {.name = "table_created_anew",
     .loses = true,
     .meaning =
         "A captured name belongs to another table now, which the publication does not send.",
     .remedy = "The hint has the ALTER PUBLICATION, and the GRANT where the new table lacks it; "
               "docs/catalog.md."},
    {.name = "table_was_not_published",
     .loses = true,
     .meaning =
         "A captured table left the publication or the lists and came back, was created anew "
         "before it was in it, came into it with rows, or the publication sent fewer kinds of "
         "changes, rows or columns for a while: what was done to the table then was sent by "
         "nobody. "
         "Also where the publication was altered and is as it was.",
     .remedy =
         "The hint has the walduct signal that reads the tables; it ends when they were read, "
         "by a snapshot of any kind, also over restarts."},
    {.name = "table_was_unlogged",
     .loses = true,
     .meaning = "A captured table was unlogged for a while, and is not any more: what was done to "
                "it then is not in the WAL.",
     .remedy = "The hint has the walduct signal that reads the table; it ends when it was read. "
               "walduct.snapshot.new.tables=incremental does it by itself."},
    {.name = "topic_compacted",
     .meaning =
         "A topic is compacted: it keeps the last record of a key, and refuses rows without one.",
     .remedy = "If consumers need all changes, set cleanup.policy=delete."},
    {.name = "topic_recompresses",
     .meaning = "The topic's compression.type is not the producer's: the broker compresses each "
                "batch anew.",
     .remedy = "Set producer.override.compression.type to the same."},
    {.name = "topic_retention_short",
     .meaning = "A topic keeps records for less than an hour.",
     .remedy = "Raise retention.ms."},
    {.name = "unlogged_table",
     .loses = true,
     .meaning = "A captured table is unlogged: its changes are not in the WAL.",
     .remedy = "ALTER TABLE … SET LOGGED, then walduct signal execute-snapshot NAME --table "
               "SCHEMA.TABLE for what was written before."},
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
