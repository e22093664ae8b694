#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr absl::string_view kReadAnew =
    "With a base backup and the WAL archive nothing is lost: docs/recover.md. Else a new snapshot. "
    "Of walduct serve: walduct offsets reset NAME --accept-loss, which starts it again; of walduct "
    "run: start it once with -o snapshot.mode=when_needed. Either makes the slot anew and reads "
    "all tables. Raise the limit, so that it does not happen again.";

constexpr Reason kRows[] = {
    {.name = "change_behind",
     .meaning = "The change that is to be skipped has been published already.",
     .remedy = "Name the change that the connector's error names (walduct status)."},
    {.name = "change_without_row",
     .meaning = "A change came without a row.",
     .remedy = "Report it."},
    {.name = "copy_malformed",
     .meaning = "A row of the snapshot cannot be read.",
     .remedy = "Is there something between walduct and the server? Report it otherwise."},
    {.name = "frame_malformed",
     .meaning = "A message of the replication protocol cannot be read.",
     .remedy = "Is there something between walduct and the server? Nothing is stored beyond it. "
               "Report it."},
    {.name = "handover_unfinished",
     .meaning = "A slot that gave tables away has not stored yet that their changes are behind it.",
     .remedy = "Nothing: it is tried again."},
    {.name = "logical_messages_clear",
     .meaning = "That transaction is done with.",
     .remedy = "Nothing: it goes on by itself."},
    {.name = "logical_messages_unclear",
     .meaning =
         "A transaction in progress has logical messages whose savepoint is not known: it is "
         "received again as a whole.",
     .remedy = "Nothing: it goes on by itself."},
    {.name = "lost_slot_held",
     .loses = true,
     .meaning = "The slot was lost or dropped, and walduct.slot.lost=hold has made it anew: it "
                "keeps WAL and catalogs from there on, and the stored position lies before it. "
                "What was committed between is not in the slot.",
     .remedy = "docs/recover.md: base backup and WAL archive have the gap, and walduct recover run "
               "streams it; or read everything anew: walduct offsets reset NAME --accept-loss."},
    {.name = "lost_slot_not_held",
     .loses = true,
     .meaning = "The slot was lost or dropped, and walduct.slot.lost=hold could not make it anew: "
                "the server refuses, and the message says why. Nothing keeps WAL and catalogs.",
     .remedy = "Give the server a free slot (max_replication_slots) or the role its right, and "
               "start again at once. docs/recover.md: how the gap is got back."},
    {.name = "malformed_message",
     .meaning = "A message of pgoutput cannot be read.",
     .remedy = "Nothing is stored beyond it. Report it."},
    {.name = "message_skipped",
     .meaning = "A message that waited for the description of its table was passed over.",
     .remedy = "Nothing is stored beyond it. Report it."},
    {.name = "move_loses_changes",
     .meaning = "The stored position was to be moved to where changes would never be published. "
                "Nothing is changed.",
     .remedy = "Repeat the command with --accept-loss when that is wanted; the message says which "
               "changes are meant."},
    {.name = "no_free_slot",
     .meaning = "All max_replication_slots are in use.",
     .remedy = "Drop one that nobody uses (SELECT slot_name, active FROM pg_replication_slots), or "
               "raise it and restart the server."},
    {.name = "no_position",
     .meaning = "The connector's source stores no position: what is published stands elsewhere.",
     .remedy = "With walduct.outbox.source=poll, change the rows of the outbox table."},
    {.name = "offset_body_malformed",
     .meaning = "What is to be stored is no position of this connector. Nothing is changed.",
     .remedy = "Give walduct offsets import what walduct offsets export, or GET "
               "/connectors/NAME/offsets of a Connect worker, has written for this connector."},
    {.name = "offset_file_locked",
     .meaning = "Another process has the offset file.",
     .remedy = "Stop it, or give each process its own file."},
    {.name = "offset_file_malformed",
     .meaning = "The offset file is not what Kafka Connect writes.",
     .remedy = "Restore it from a backup, or walduct offsets import from one. Without: mv it away, "
               "walduct offsets set NAME LSN with each slot's confirmed_flush_lsn."},
    {.name = "offset_file_mounted",
     .meaning = "The offset file itself is a mount: it cannot be replaced as a whole.",
     .remedy = "Mount its directory instead."},
    {.name = "offset_file_unreadable",
     .meaning = "The offset file cannot be read.",
     .remedy = "Give walduct's user the right to: chown and chmod, as the hint has them. Keep the "
               "file: another one has no position."},
    {.name = "offset_file_unwritable",
     .meaning = "The offset file cannot be written.",
     .remedy =
         "Give walduct's user the right to, or free space, as the hint has it. Keep the file: "
         "another one has no position."},
    {.name = "offset_malformed",
     .meaning = "A stored offset cannot be read.",
     .remedy =
         "walduct offsets import puts a good one in its place. Where the slot was read before, "
         "walduct offsets set NAME LSN with its confirmed_flush_lsn goes on where it stands, or "
         "asks for --accept-loss. Else forget it: walduct offsets reset NAME --accept-loss."},
    {.name = "offset_missing",
     .meaning = "The slot exists and no offset is stored: it is not known what was published. Of "
                "walduct doctor, asked before a move from a file or a REST offset, it is the "
                "normal case.",
     .remedy = "walduct offsets import, or drop the slot for a snapshot. walduct offsets set NAME "
               "LSN with the LSN of the message goes on where the slot stands: nothing is left "
               "out. A Connect that ran before: did you mean to import its offset?"},
    {.name = "offset_store_slow",
     .meaning = "The position could not be stored in time.",
     .remedy = "Look at the offset topic's broker, or at the disk. What is not stored is read "
               "again after a restart."},
    {.name = "offset_superseded",
     .meaning = "Another instance has stored a newer position; this one stores none.",
     .remedy = "Stop one of the two."},
    {.name = "offset_table_missing",
     .meaning = "The table of JdbcOffsetBackingStore is not there, and the statement that is to "
                "make it makes another.",
     .remedy = "Correct offset.storage.jdbc.table.ddl, or leave it out."},
    {.name = "offset_too_long",
     .meaning = "The position has more characters than the column of JdbcOffsetBackingStore's "
                "table takes; that of an incremental snapshot of many tables does.",
     .remedy =
         "The hint has the ALTER TABLE. A connector that runs goes on meanwhile, and the slot "
         "keeps its WAL; a start ends."},
    {.name = "offset_topic_gone",
     .meaning = "The offset topic was deleted, or has fewer partitions than before. The connector "
                "goes on; the slot keeps its WAL.",
     .remedy =
         "kafka-topics.sh --create it again with --config cleanup.policy=compact: the "
         "position is stored there at once. Do not stop the process before; a restart of "
         "the connector goes on from the position that the process knows. Where it has ended: "
         "walduct offsets set NAME LSN with the LSN of the message. With "
         "exactly.once.support=required it is created by itself."},
    {.name = "offset_topic_not_compacted",
     .meaning = "The offset topic is not compacted: offsets would be deleted with time. A start "
                "refuses it; of walduct run that is under way log, status and doctor tell it.",
     .remedy = "kafka-configs.sh --alter --add-config cleanup.policy=compact on the topic."},
    {.name = "offset_topic_unknown",
     .meaning = "The offset topic was created, and the broker does not know it yet.",
     .remedy = "Nothing: it is asked again."},
    {.name = "override_without_columns",
     .meaning = "A statement of snapshot.select.statement.overrides lacks columns of its table.",
     .remedy = "Select them."},
    {.name = "partition_apart",
     .meaning = "A partition is named by one slot's publication, its root by another's: it is "
                "published twice, or would be while tables go to other slots.",
     .remedy = "The hint has the ALTER PUBLICATION."},
    {.name = "partition_attached",
     .loses = true,
     .meaning = "A table was attached as a partition, and its rows come as those of a captured "
                "table from then on: what it had before was sent by nobody.",
     .remedy = "The hint has the walduct signal that reads them; it ends when the table was read. "
               "walduct.snapshot.new.tables=incremental does it by itself."},
    {.name = "partition_root_unsupported",
     .meaning = "publish.via.partition.root needs PostgreSQL 13.",
     .remedy = "Set it to false."},
    {.name = "plugin_missing",
     .meaning = "The server lacks the output plugin.",
     .remedy = "plugin.name=pgoutput is part of every server."},
    {.name = "position_ahead",
     .loses = true,
     .meaning = "The stored position is beyond the end of the server's WAL: perhaps it was "
                "restored, another server was promoted behind it, or a wrong position was stored "
                "(walduct offsets import or set).",
     .remedy = "A wrong one: walduct offsets import puts the one before it back, or walduct "
               "offsets set goes on where the slot stands. Else compare rows "
               "and topics; then walduct offsets reset NAME --accept-loss: a new snapshot. "
               "docs/start.md: failover."},
    {.name = "position_diverged",
     .loses = true,
     .meaning = "The server's history branched off before the stored position: what was published "
                "may never have been committed there.",
     .remedy = "docs/start.md: failover. synchronized_standby_slots prevents it."},
    {.name = "position_lost",
     .loses = true,
     .meaning =
         "The stored position is no longer available on the server: changes after it may be gone.",
     .remedy = "docs/recover.md, where there are a base backup and the WAL archive; else a new "
               "snapshot, as slot_lost. Of walduct serve: walduct offsets reset NAME "
               "--accept-loss; of walduct run: -o snapshot.mode=when_needed."},
    {.name = "position_skipped",
     .loses = true,
     .meaning = "The slot stands beyond the stored position: another client has read from it, the "
                "server was upgraded, or an older one was stored. What lies between never comes.",
     .remedy =
         "Read by a process that keeps its position elsewhere: export it there, import it here "
         "(docs/migration.md). An older one: walduct offsets import puts back the one before. Else "
         "snapshot.mode=when_needed reads everything anew. After an upgrade: docs/upgrade.md. "
         "Who knows that nothing lies between: offset.mismatch.strategy=trust_slot."},
    {.name = "position_unknown",
     .meaning =
         "The stored position lies inside a transaction that the server does not send as it was.",
     .remedy =
         "walduct stops and does not guess. walduct offsets reset NAME --accept-loss, for a new "
         "snapshot, and report it."},
    {.name = "protocol",
     .meaning = "A message of pgoutput came where the protocol has none.",
     .remedy = "Nothing is stored beyond it. Report it."},
    {.name = "protocol_violation",
     .meaning = "Messages came in an order that the protocol does not have.",
     .remedy = "Nothing is stored beyond it. Report it."},
    {.name = "publication_for_all_tables",
     .meaning = "The publication is for all tables, and cannot be changed to fewer.",
     .remedy = "Use another publication.name, or publication.autocreate.mode=all_tables."},
    {.name = "publication_for_schemas",
     .meaning = "The publication is for whole schemas; of several slots each one's names tables.",
     .remedy = "Take the schemas from it, or set walduct.slots=1."},
    {.name = "publication_missing",
     .loses = true,
     .meaning = "The publication does not exist where the stream is read.",
     .remedy =
         "Create it again; if it came after the slot, drop the slot and take a new snapshot."},
    {.name = "publication_not_permitted",
     .meaning = "The role may not create the publication; or one is there, and the role owns that, "
                "or tables that it is to get, neither itself nor by a group.",
     .remedy =
         "Where there is none, create it as a superuser. Where it is there, ALTER PUBLICATION "
         "NAME OWNER TO ROLE, also as a superuser, and hand the tables to a group of the "
         "role. docs/security.md has the statements; publication.autocreate.mode=disabled "
         "needs neither."},
    {.name = "publication_other_name",
     .meaning = "publication.name is not the name of the publication by which the stored position "
                "was read: that one was renamed, or another name was configured.",
     .remedy = "Set publication.name to the name that the hint has: nothing is read anew."},
    {.name = "publication_outdated",
     .loses = true,
     .meaning = "The publication lacks captured tables, or what it publishes.",
     .remedy = "The hint has the ALTER PUBLICATION; or publication.autocreate.mode=filtered."},
    {.name = "publication_without_tables",
     .meaning = "No captured table can be in the publication.",
     .remedy = "Check table.include.list against the database."},
    {.name = "publications_differ",
     .meaning = "Two slots' publications differ in publish or other options, and a table is to go "
                "from one to the other.",
     .remedy = "ALTER PUBLICATION ... SET makes them alike."},
    {.name = "recover_archive_hole",
     .loses = true,
     .meaning = "With --then read: the archive still lacks a segment of the gap, and what follows "
                "cannot be decoded.",
     .remedy = "The tables are read from there on. Who finds the segment elsewhere brings it into "
               "the archive and starts walduct recover run again."},
    {.name = "recover_archive_slow",
     .meaning = "The archive's command takes long for a segment, or hangs.",
     .remedy = "Let the tool fetch ahead, or copy the gap's segments next to the restored server. "
               "One that hangs may be ended: it is asked again."},
    {.name = "recover_archive_waits",
     .meaning = "The gate of the restored server has asked the archive for a segment that is not "
                "there yet.",
     .remedy =
         "On the primary: SELECT pg_switch_wal(), and pg_stat_archiver says whether it "
         "archives. If the segment is missing for good, the gap ends there: stop, and walduct "
         "recover read compares the tables with the topics."},
    {.name = "recover_backup_too_young",
     .meaning = "A slot on the restored server would begin beyond the stored position: the backup "
                "ended too late, or a transaction was open at its end for long.",
     .remedy =
         "Restore an older one, with a new folder for --state: docs/recover.md, which backup."},
    {.name = "recover_disk_full",
     .meaning = "The restored server's disk has no room for the next segment.",
     .remedy = "Make room there: it goes on by itself."},
    {.name = "recover_gate_silent",
     .meaning = "Nobody asks for WAL with the folder of --state, or the gate cannot write to it.",
     .remedy = "Start the restored server, whose restore_command is walduct recover gate with the "
               "same --state; its log has what the gate says."},
    {.name = "recover_no_position",
     .meaning = "walduct recover run finds no stored position of the stream.",
     .remedy =
         "Nothing was streamed yet: walduct run takes a snapshot. Else look at -f, -w and the "
         "offset store."},
    {.name = "recover_not_gated",
     .meaning = "restore_command of the server of --from is not walduct recover gate: it would "
                "replay beyond its slot, which ends it.",
     .remedy = "Restore anew with the gate in restore_command (docs/recover.md)."},
    {.name = "recover_not_in_recovery",
     .meaning = "The server of --from is no standby: it is a primary, or the restored server was "
                "promoted.",
     .remedy = "Name the restored server; one that was promoted is restored anew, with "
               "standby.signal."},
    {.name = "recover_read_folder",
     .meaning = "walduct recover read has no room, or no right, for the keys of the topics.",
     .remedy = "Name a folder on a disk with room with --directory, and start it again."},
    {.name = "recover_read_nothing",
     .meaning = "No captured table can be compared with its topic: they have no key, or their rows "
                "are events.",
     .remedy = "See --tables and table.include.list."},
    {.name = "recover_read_partial",
     .loses = true,
     .meaning = "walduct recover read would close the gap of a lost slot, and does not compare all "
                "captured tables.",
     .remedy = "Leave --tables out. Of tables that cannot be compared (no key, an outbox) what the "
               "gap had is lost without a backup: --accept-loss goes on."},
    {.name = "recover_read_topic",
     .meaning = "A transform sends rows of one table to topics by their values: which topics have "
                "its rows is not known before.",
     .remedy = "Leave the table out with --tables; walduct signal execute-snapshot reads it anew."},
    {.name = "recover_replay_paused",
     .meaning = "The restored server does not replay: a setting is lower than the primary's, or "
                "somebody has paused it.",
     .remedy = "Its log names the setting: raise it and restart the server; else SELECT "
               "pg_wal_replay_resume()."},
    {.name = "recover_replay_stands",
     .meaning = "The restored server has WAL and does not replay it.",
     .remedy = "Its log, and pg_stat_activity there: queries of others hold replay up."},
    {.name = "recover_server_away",
     .meaning = "The restored server takes no sessions any more: it has ended.",
     .remedy = "Its log says why: a full disk, or a gate that was killed. Put that right and start "
               "it again; nothing is lost."},
    {.name = "recover_settings",
     .meaning =
         "Settings that came with the backup would end the slot, hold up replay or touch the "
         "archive.",
     .remedy =
         "The hint has the lines for postgresql.auto.conf of the restored server; restart it."},
    {.name = "recover_slot_lost",
     .meaning =
         "The restored server has ended its slot. What was streamed is published and stored, "
         "and the primary's slot holds the rest.",
     .remedy = "Restore the backup once more, with a new folder for --state, and start walduct "
               "recover run again: it goes on where it ended. Of a replay the files replay and "
               "offsets.dat, where there is one, are copied into it first."},
    {.name = "recover_slot_stands",
     .meaning = "Replay waits for the slot on the restored server, which does not move.",
     .remedy = "The log says whether the sink takes nothing; else pg_stat_activity there."},
    {.name = "recover_state_folder",
     .meaning = "The folder of --state cannot be read or written, or is of another replay.",
     .remedy = "It is walduct's and the restored server's user's: give both the right to write. "
               "Each replay has a folder of its own."},
    {.name = "recover_wrong_server",
     .meaning = "The restored server is of another database cluster than the primary.",
     .remedy = "Restore a backup of the primary itself."},
    {.name = "relation_renamed",
     .meaning =
         "A partitioned table whose partitions' rows come under its name "
         "(publish.via.partition.root) has got another name or schema, or, before "
         "PostgreSQL 16, a schema another name: the server goes on sending the old one until "
         "the stream begins anew.",
     .remedy = "Nothing: it does. What was sent under the old name meanwhile, and that is not "
               "captured, is told of and comes with a snapshot (docs/catalog.md)."},
    {.name = "schema_mismatch",
     .meaning = "Stream and catalog describe a table differently.",
     .remedy = "Report it."},
    {.name = "server_upgraded",
     .meaning = "The stored offset is that of another database cluster, and this one looks like "
                "what pg_upgrade makes of it.",
     .remedy = "Whoever upgraded it starts once with offset.mismatch.strategy=trust_slot; "
               "docs/upgrade.md."},
    {.name = "signal_in_gap",
     .meaning = "A signal was sent in the gap of a lost slot, and walduct recover run carries none "
                "out.",
     .remedy = "Send it again when the connector goes on."},
    {.name = "skip_of_several_slots",
     .meaning =
         "walduct skip names a change of one slot's stream, and the connector reads several.",
     .remedy = "errors.tolerance=all until the change is behind."},
    {.name = "slot_creation_blocked",
     .meaning = "A slot is created when all older transactions have ended; one has not.",
     .remedy = "End the transaction that the message names."},
    {.name = "slot_disputed",
     .meaning = "The server says of the slot that it is lost, missing or without its WAL, and its "
                "own row in pg_replication_slots says otherwise. It happens once when a server "
                "changes its timeline, and where an address leads to two servers.",
     .remedy = "Nothing at first: it is tried again, for ten minutes. Then look which server "
               "answers, and whether the segment that the message names is in its pg_wal. If it is "
               "gone for good, drop the slot and take a new snapshot (snapshot.mode=when_needed)."},
    {.name = "slot_exists",
     .meaning = "Another process has just created the slot.",
     .remedy = "Nothing: it is tried again."},
    {.name = "slot_held",
     .meaning = "Another instance holds the slot's lock, perhaps while it takes a snapshot.",
     .remedy = "Stop one of the two."},
    {.name = "slot_in_use",
     .loses = true,
     .meaning =
         "Another session streams from the slot. What it confirms the server sends to nobody "
         "again. Another walduct with this connector's positions goes on from there; what "
         "any other reader confirms is lost to this connector, and walduct status says so "
         "(position_skipped) as soon as the slot stands beyond the stored position.",
     .remedy =
         "At once stop the other process, which may be another walduct, or give each connector its "
         "own slot.name. The message names pid, application, client and since when; a session that "
         "nobody owns any more: SELECT pg_terminate_backend(PID)."},
    {.name = "slot_invalidated",
     .loses = true,
     .meaning = "The server has ended the stream to release the slot, or is about to: it is behind "
                "by more than max_slot_wal_keep_size, or was idle for longer than "
                "idle_replication_slot_timeout. The next attempt finds whether it is lost.",
     .remedy = kReadAnew},
    {.name = "slot_lost",
     .loses = true,
     .meaning = "The server has invalidated the slot: it was behind by more than "
                "max_slot_wal_keep_size, idle for longer than idle_replication_slot_timeout, or "
                "what it needs went with a restore.",
     .remedy = kReadAnew},
    {.name = "slot_missing",
     .loses = true,
     .meaning = "The slot was dropped. What was written since the stored position is gone from it.",
     .remedy = "As slot_lost: a new snapshot. Of walduct serve: walduct offsets reset NAME "
               "--accept-loss; of walduct run: -o snapshot.mode=when_needed."},
    {.name = "slot_moved",
     .meaning = "Somebody moved the slot while this one was starting.",
     .remedy = "Nothing: it starts anew. If it repeats, another client reads this slot."},
    {.name = "slot_of_another_sink",
     .meaning = "sink=stdout would confirm to a live slot what is only printed.",
     .remedy = "Use walduct tail, or another slot.name."},
    {.name = "slot_other_name",
     .meaning = "The server lacks the slot that slot.name names, and has the one that the stored "
                "position was read from; or, where the position does not tell that (a Debezium or "
                "an older release stored it), one alone that stands at it. Nobody reads it.",
     .remedy = "Set slot.name as the hint has it: nothing is read anew. Where it says \"if\": "
               "another connector whose slot it is would lose its changes. Else as position_lost; "
               "walduct recover run asks for no other slot."},
    {.name = "slot_released",
     .meaning = "The stream ended and the slot is free.",
     .remedy = "Nothing: it is taken again."},
    {.name = "slot_taken_over",
     .meaning = "Another instance took the slot over; this one has stopped itself.",
     .remedy = "Stop one of the two before this one is started again."},
    {.name = "slot_wrong_database",
     .meaning = "The slot belongs to another database.",
     .remedy = "Choose another slot.name, or connect to its database."},
    {.name = "slot_wrong_plugin",
     .meaning = "The slot is physical, or of another output plugin.",
     .remedy = "Choose another slot.name, or drop it where nobody needs it; where a position is "
               "stored, then walduct offsets reset NAME --accept-loss."},
    {.name = "slots_changed",
     .meaning =
         "walduct.slots is not what it was, and the message says why tables cannot go to other "
         "slots, or that they are on their way already.",
     .remedy = "Set it to what the hint says, mend what is in the way, and set it again "
               "(docs/slots.md)."},
    {.name = "slots_handover",
     .meaning = "walduct.slots is not what it was: tables have to go to other slots before the "
                "stream goes on.",
     .remedy = "Nothing: a start does that (docs/slots.md)."},
    {.name = "slots_unsupported",
     .meaning = "The server is too old for several slots.",
     .remedy = "walduct.slots=1, or PostgreSQL 13 or newer."},
    {.name = "snapshot_interrupted",
     .meaning = "A snapshot was interrupted and the strategy does not say to repeat it.",
     .remedy = "snapshot.mode=initial or when_needed begins it again."},
    {.name = "snapshot_too_long",
     .meaning = "A snapshot does not fit into one Kafka transaction.",
     .remedy = "Raise producer.override.transaction.timeout.ms, or take the snapshot with "
               "exactly.once.support=requested."},
    {.name = "spill_full",
     .meaning = "Transactions in progress take more than walduct.transaction.spill.max.bytes.",
     .remedy = "Raise it, or set walduct.transaction.streaming=false."},
    {.name = "spill_unreadable",
     .meaning = "A file of a transaction in progress cannot be read back: it is received again.",
     .remedy = "Check the disk."},
    {.name = "spill_unwritable",
     .meaning = "Files of walduct.transaction.spill.directory cannot be written.",
     .remedy = "Check rights and free space."},
    {.name = "status_not_taken",
     .meaning = "The server takes no status update.",
     .remedy = "Nothing: it is connected again."},
    {.name = "stream_ended",
     .meaning = "The server ended the stream.",
     .remedy = "Nothing: it is tried again."},
    {.name = "stopped_before_stored",
     .meaning = "walduct serve was stopped, and not all of its connectors could store their "
                "positions in time: exit code 1.",
     .remedy = "Nothing is lost: what follows the stored positions is read and published again at "
               "the next start. The message says what was away."},
    {.name = "table_in_two_publications",
     .meaning = "Two slots' publications name a table: its changes would be published twice.",
     .remedy = "The hint has the ALTER PUBLICATION."},
    {.name = "table_renamed",
     .meaning = "A table got another name while the snapshot was under way.",
     .remedy = "Nothing: the snapshot begins again."},
    {.name = "table_rewritten",
     .meaning =
         "ALTER TABLE wrote a table anew before the snapshot came to it: the snapshot's view "
         "of the database shows it empty. Or it was altered while a chunk of it was begun.",
     .remedy = "Nothing: it is read in a newer view, with all others, or, with "
               "walduct.snapshot.resume=true, with those that are not read yet."},
    {.name = "tables_changed",
     .meaning = "Tables came or went while the publications of several slots were made.",
     .remedy = "Nothing: it looks again."},
    {.name = "tables_locked",
     .meaning =
         "A table is to go to another slot, and writers hold it, or come and go without a pause.",
     .remedy = "Nothing where transactions end soon; else end the session that is named."},
    {.name = "timeline_unknown",
     .meaning = "The server does not have the history of its timelines.",
     .remedy = "Nothing: a warning says what is not checked."},
    {.name = "two_phase",
     .meaning = "The slot decodes prepared transactions, which may still be rolled back.",
     .remedy = "Use another slot, created without two_phase."},
    {.name = "unknown_relation",
     .meaning = "A row came of a table that the stream has not described.",
     .remedy = "Nothing is stored beyond it. Report it."},
    {.name = "wal_removed",
     .loses = true,
     .meaning = "The server has removed WAL that is needed, and the slot does not say that it is "
                "still kept (that is slot_disputed).",
     .remedy = "As slot_lost (docs/recover.md)."},
};

}  // namespace

absl::Span<const Reason> PositionReasons() { return kRows; }

}  // namespace walduct::admin
