#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "avro_value",
     .meaning = "A value as it was encoded does not fit the schema that it is rewritten from.",
     .remedy = "Report it with the table's definition; until then use.latest.version=false."},
    {.name = "bad_message_keys",
     .meaning = "message.key.columns cannot be read.",
     .remedy = "schema.table:column,column;…"},
    {.name = "byte_array_converter",
     .meaning = "ByteArrayConverter writes bytes only.",
     .remedy = "Use it with the outbox' payload, or another converter."},
    {.name = "cloud_event_incomplete",
     .meaning = "A record lacks what a CloudEvent needs.",
     .remedy = "docs/formats.md."},
    {.name = "field_name_conflict",
     .meaning = "Two columns would become the same field.",
     .remedy = "field.name.adjustment.mode=avro_unicode or none, or exclude one."},
    {.name = "json_without_schema",
     .meaning = "JSON of an outbox payload has no schema that fits.",
     .remedy = "table.expand.json.payload=false."},
    {.name = "malformed_value",
     .meaning = "A value is not what its type writes.",
     .remedy = "Report it with the type; until then exclude the column."},
    {.name = "mask_lost",
     .meaning = "A column that an entry masked, hashed, truncated or excluded, or that "
                "message.key.columns had in the key, has got a name or a type that the entry does "
                "not match; or its table has. Nothing of the table was published since.",
     .remedy = "Add the new name to the entry, beside the old one, and start the connector again "
               "(of walduct serve the hint has the line that does both); "
               "walduct.mask.lost=warn publishes it as it is. docs/catalog.md."},
    {.name = "md5_refused",
     .meaning = "OpenSSL (FIPS) refuses MD5, which a placeholder of uuid[] needs.",
     .remedy = "Load the default provider too, or exclude the column."},
    {.name = "money_locale",
     .meaning = "money is formatted in a locale whose separators are not known.",
     .remedy = "ALTER ROLE NAME SET lc_monetary = 'C'."},
    {.name = "nested_array",
     .meaning = "An array of several dimensions; the schema has one.",
     .remedy = "value.converter.schemas.enable=false, or exclude the column."},
    {.name = "number_converter",
     .meaning = "A converter of numbers meets another value.",
     .remedy = "Use another converter."},
    {.name = "outbox_cannot_park",
     .meaning = "An outbox table that is polled has nowhere to count attempts: no row of it is "
                "parked, retried or waits.",
     .remedy = "The hint has the ALTER TABLE; walduct outbox skip leaves one row out."},
    {.name = "outbox_columns",
     .meaning = "A table lacks columns that EventRouter needs.",
     .remedy = "table.field.event.*, or walduct.outbox.tables."},
    {.name = "outbox_history",
     .meaning = "The outbox table has rows from before it was published: they are not removed.",
     .remedy = "Publish them, or delete them yourself."},
    {.name = "outbox_needs_delete",
     .meaning = "An outbox table that is polled has no column that says which rows are published.",
     .remedy = "walduct.outbox.done=delete, or add a column published_at."},
    {.name = "outbox_no_archive",
     .meaning = "walduct.outbox.done=archive, and the archive of an outbox table is not there or "
                "lacks columns.",
     .remedy = "CREATE TABLE … (LIKE the outbox table)."},
    {.name = "outbox_needs_xact",
     .meaning = "walduct.outbox.done=position, and the outbox table has no column that tells which "
                "transaction wrote a row.",
     .remedy = "The message has the ALTER TABLE."},
    {.name = "outbox_of_subscription",
     .meaning = "walduct.outbox.done=position, and a subscription fills the outbox table.",
     .remedy = "Publish it where it is written."},
    {.name = "outbox_position_lost",
     .meaning =
         "The position in outbox tables is of another server, of one before a promotion or a "
         "restore, or of a slot; or a slot is to be read from the position of outbox tables.",
     .remedy = "walduct offsets reset, then all rows are published again."},
    {.name = "outbox_position_malformed",
     .meaning = "The stored position in outbox tables cannot be read.",
     .remedy = "Restore the offset store, or walduct offsets reset."},
    {.name = "outbox_needs_where",
     .meaning = "An outbox table that is polled has rows of several listeners or applications.",
     .remedy = "walduct.outbox.where says which are to be published."},
    {.name = "outbox_name",
     .meaning = "A name of walduct outbox init cannot be used.",
     .remedy = "The message says which."},
    {.name = "outbox_no_key",
     .meaning = "An outbox table that is polled has no primary key: no row could be marked.",
     .remedy = "ALTER TABLE … ADD PRIMARY KEY."},
    {.name = "outbox_no_tables",
     .meaning = "No outbox table was found.",
     .remedy = "walduct.outbox.tables."},
    {.name = "outbox_no_time_column",
     .meaning = "walduct.outbox.retention.ms asks for the age of rows, and the outbox table has no "
                "column that tells it, or several.",
     .remedy = "walduct.outbox.cleanup.time.column, or walduct.outbox.retention.ms=0."},
    {.name = "outbox_ids_cached",
     .meaning =
         "The sequence of an outbox table's ids, which is polled, has a CACHE: each session hands "
         "out ids of a block of its own, and they do not tell in which order the events of a key "
         "were written. A warning: nothing is lost.",
     .remedy = "ALTER SEQUENCE NAME CACHE 1."},
    {.name = "outbox_dead_rows",
     .meaning =
         "Many rows of outbox tables that are polled are dead and cannot be vacuumed away, because "
         "a session, a prepared transaction, a standby or a slot has an old snapshot: each claim "
         "walks over them and takes longer. A warning: nothing is lost.",
     .remedy = "What the hint says ends it; then VACUUM the table."},
    {.name = "outbox_notify_prepared",
     .meaning =
         "A trigger of an outbox table that is polled notifies, and the server takes prepared "
         "transactions: one that has notified cannot be prepared, so XA applications fail. A "
         "warning.",
     .remedy = "DROP TRIGGER NAME ON SCHEMA.TABLE, where the table is written to in transactions "
               "that are prepared."},
    {.name = "outbox_no_index",
     .meaning = "Each look at the outbox table reads all of it: no index tells which of its rows "
                "are open; "
                "with walduct.outbox.done=position, none begins with the column that tells which "
                "transaction wrote a row. A warning: nothing is lost.",
     .remedy = "CREATE INDEX ON SCHEMA.TABLE (ID) WHERE PUBLISHED_AT IS NULL; with a position, "
               "CREATE INDEX ON SCHEMA.TABLE (XACT)."},
    {.name = "outbox_order",
     .meaning =
         "An outbox table is polled whose primary key has no integer by which rows are ordered: "
         "events of a key can come out of the order of their commits. A warning: nothing is lost.",
     .remedy = "A primary key id bigint GENERATED ALWAYS AS IDENTITY; or "
               "walduct.outbox.source=slot, which publishes in the order of commits."},
    {.name = "outbox_parked",
     .meaning = "Rows of an outbox table that is polled could not be published and have used their "
                "attempts up. Later rows of their keys wait for them. A warning: others go on.",
     .remedy =
         "walduct outbox list shows them; mend what is wrong, then walduct outbox retry tries "
         "one again, or walduct outbox skip leaves it out: docs/outbox.md."},
    {.name = "outbox_not_acknowledged",
     .meaning = "Kafka has not acknowledged what would be deleted.",
     .remedy = "Run it again later."},
    {.name = "outbox_not_captured",
     .meaning =
         "The include and exclude lists leave an outbox table out that is to be cleaned: its "
         "rows would be deleted unpublished.",
     .remedy = "Add it to table.include.list, or take it out of walduct.outbox.tables."},
    {.name = "outbox_not_marked",
     .meaning =
         "Rows of an outbox table that is polled were published, and the statement that marks "
         "or deletes them changed nothing; or they could not be published, and the one that counts "
         "their attempts changed nothing: they would be published, or tried, again and again.",
     .remedy =
         "Remove the trigger, rule or policy of row security that keeps the rows as they are."},
    {.name = "outbox_not_pollable",
     .meaning = "The outbox table is of a library whose rows cannot be published by polling.",
     .remedy = "The message says why, and what to do."},
    {.name = "outbox_not_partitioned",
     .meaning = "walduct.outbox.cleanup=drop_partitions, and a table has no partitions that could "
                "be dropped.",
     .remedy = "walduct.outbox.cleanup=delete, or a table that is partitioned by time."},
    {.name = "outbox_not_published",
     .loses = true,
     .meaning = "The publication does not send all that is inserted into an outbox table.",
     .remedy = "table.include.list, or publication."},
    {.name = "outbox_not_routed",
     .meaning = "Housekeeping would delete rows that are not published as events.",
     .remedy = "Correct transforms or walduct.outbox.tables."},
    {.name = "outbox_placement",
     .meaning = "table.fields.additional.placement cannot be read.",
     .remedy = "column:envelope|header|partition[:alias],…"},
    {.name = "outbox_server_changed",
     .meaning = "The server was restarted or replaced.",
     .remedy = "Nothing: housekeeping resumes with the stream."},
    {.name = "outbox_standby",
     .meaning = "Housekeeping cannot delete on a standby.",
     .remedy = "walduct.outbox.cleanup=none, and clean on the primary."},
    {.name = "outbox_strict",
     .meaning = "walduct.strict refuses what EventRouter would guess.",
     .remedy = "The message names the option."},
    {.name = "outbox_unknown_layout",
     .meaning = "The columns of an outbox table that is polled do not say, or not clearly, which "
                "rows are published: nothing is guessed.",
     .remedy = "The message names the columns; or walduct.outbox.source=slot."},
    {.name = "outbox_unlogged",
     .meaning = "The outbox table is unlogged: its changes are not in the WAL.",
     .remedy = "ALTER TABLE … SET LOGGED."},
    {.name = "protobuf_schema",
     .meaning = "A table or a record has no schema in Protobuf: arrays of arrays, names that are "
                "none, two things of one name.",
     .remedy = "The message names it: set scrub.invalid.names=true, leave the column out, or use "
               "another converter."},
    {.name = "protobuf_value",
     .meaning = "A value has no form in Protobuf: NULL in an array, a timestamp beyond the years 1 "
                "to 9999.",
     .remedy = "The message names the field: correct the row, leave the column out, or use "
               "another converter."},
    {.name = "required_field_null",
     .meaning = "A field that may not be null is.",
     .remedy = "Correct the transform, or the column."},
    {.name = "row_width",
     .meaning = "A row does not have the columns of its table.",
     .remedy = "Report it."},
    {.name = "signal_file_unusable",
     .meaning = "The file that signals are read from cannot be opened, read or emptied.",
     .remedy = "Let walduct read and write signal.file; it is looked at again."},
    {.name = "signal_malformed",
     .meaning = "A signal's data cannot be read.",
     .remedy = "Correct it and send it again: docs/snapshots.md has examples."},
    {.name = "signal_no_channel",
     .meaning = "walduct signal: the connector does not read that channel of signals, or does not "
                "run where it was asked for.",
     .remedy = "Start it, or resume it: a running process takes signals over its listener, without "
               "any property. Of walduct run that is --listen HOST:PORT."},
    {.name = "signal_not_supported",
     .meaning = "A signal asks for something that walduct does not do yet.",
     .remedy = "The message says what to use."},
    {.name = "signal_passed_over",
     .meaning = "A signal was to stop, pause or resume an incremental snapshot, and none is being "
                "read or waits.",
     .remedy = "Nothing: it has ended by itself, or was never asked for."},
    {.name = "signal_unknown",
     .meaning = "A signal has a type that is not known.",
     .remedy = "execute-snapshot, stop-snapshot, pause-snapshot, resume-snapshot or log."},
    {.name = "signals_waiting",
     .meaning = "So many signals wait for a connector that it takes no more.",
     .remedy = "walduct status NAME says what it waits for; a paused one takes them when it is "
               "resumed."},
    {.name = "special_value",
     .meaning =
         "NaN, Infinity or a value out of range in a column whose schema has no place for it.",
     .remedy = "docs/types.md; repair the row, or exclude the column."},
    {.name = "stored_key_malformed",
     .meaning =
         "The key in the stored offset, where an incremental snapshot stopped, cannot be read.",
     .remedy =
         "Remove the members incremental_snapshot_* of the offset and signal the snapshot again."},
    {.name = "surrogate_key_unknown",
     .meaning = "The surrogate key of a signal is not a column of the table.",
     .remedy = "Name a column that is, and signal again."},
    {.name = "table_not_captured",
     .meaning = "A signal names a table that is not captured.",
     .remedy = "table.include.list and schema.include.list."},
    {.name = "toast_value_not_sent",
     .meaning = "A large value did not change, so the server did not send it, and its column has "
                "no placeholder.",
     .remedy = "ALTER TABLE NAME REPLICA IDENTITY FULL, for a partitioned table of each partition, "
               "where the publication sends all columns (publication_refuses_writes)."},
    {.name = "transform_failed",
     .meaning = "A transform cannot be applied to this record.",
     .remedy =
         "The message names transform, table and field. errors.tolerance=all goes on without the "
         "record: it is lost to readers, unless errors.deadletterqueue.topic.name keeps it."},
    {.name = "value_does_not_fit",
     .meaning = "A number does not fit the type that a transform gave it.",
     .remedy = "Correct the transform."},
    {.name = "value_without_schema",
     .meaning = "The converter needs a schema, and a transform took it away.",
     .remedy = "Use JsonConverter, or leave the transform out."},
    {.name = "watermark_deleted",
     .meaning = "A row of the signal table that marks a chunk of an incremental snapshot was "
                "deleted before walduct deleted it. The chunk is read again.",
     .remedy = "Leave rows whose id ends in -open alone: a purge of the signal table takes older "
               "ones."},
    {.name = "window_overflown",
     .meaning = "More keys changed while a chunk of an incremental snapshot was read than are "
                "kept. The chunk is read again, with half the rows.",
     .remedy = "Nothing, unless it goes on: ask for the snapshot when less is written, or set a "
               "smaller incremental.snapshot.chunk.size."},
    {.name = "window_unclear",
     .meaning = "While a chunk of an incremental snapshot was read, partitions sent old rows "
                "without the key of their root's records, and more than one row may have been "
                "meant. The chunk is read again, with half the rows.",
     .remedy = "Give each partition a replica identity that has the key: ALTER TABLE … REPLICA "
               "IDENTITY DEFAULT, or FULL where the publication sends all columns."},
};

}  // namespace

absl::Span<const Reason> RecordReasons() { return kRows; }

}  // namespace walduct::admin
