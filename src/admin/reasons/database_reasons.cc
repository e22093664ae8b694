#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "address_not_allowed",
     .meaning = "No line of pg_hba.conf allows this address, or one rejects it.",
     .remedy = "Add: host DATABASE USER ADDRESS scram-sha-256; then SELECT pg_reload_conf()."},
    {.name = "answer_too_large",
     .meaning = "An answer about the catalog was larger than 64 MB: not the server that was meant, "
                "or a broken one.",
     .remedy = "Check database.hostname."},
    {.name = "authentication_failed",
     .meaning = "The server refuses the login, and says no more.",
     .remedy = "Check database.user, database.password and pg_hba.conf."},
    {.name = "bytes_not_in_encoding",
     .meaning = "The database holds bytes that are not text in its encoding.",
     .remedy = "Find and repair the row; until then exclude the column."},
    {.name = "client_certificate_refused",
     .meaning = "The server does not accept the client certificate.",
     .remedy = "Its issuer must be in the server's ssl_ca_file, its CN the role's name, its dates "
               "valid."},
    {.name = "client_certificate_required",
     .meaning = "The server wants a client certificate.",
     .remedy = "Set database.sslcert and database.sslkey."},
    {.name = "commit_held_up",
     .meaning = "A transaction was streamed, or may have been before this start, that other "
                "sessions do not see yet. A snapshot beside the stream waits for it: its rows "
                "would be older than what was published.",
     .remedy = "See whether a standby of synchronous_standby_names is away or slow. GRANT "
               "pg_read_all_stats to the connector's role lets it tell a transaction that is only "
               "open, for which it need not wait."},
    {.name = "connection_lost",
     .meaning = "The connection broke in the middle.",
     .remedy = "Nothing, unless it happens often: look at the server's log and at what lies "
               "between (proxies, idle timeouts)."},
    {.name = "constraint_violation",
     .meaning = "A statement of heartbeat.action.query or of housekeeping broke a constraint.",
     .remedy = "Correct the statement."},
    {.name = "data_exception",
     .meaning = "A value could not be computed by a statement.",
     .remedy = "Check snapshot.select.statement.overrides."},
    {.name = "database_missing",
     .meaning = "database.dbname does not exist, or was dropped.",
     .remedy = "Check database.dbname."},
    {.name = "decoding_failed",
     .meaning =
         "PostgreSQL cannot decode a change of this slot, and says so at each try. Mostly it "
         "wrote to a table that was created while the slot was being made and other transactions "
         "ran. What was published stands; what was committed since is in the tables alone.",
     .remedy = "It is tried again, as often as slot.max.retries says. Then SELECT "
               "pg_drop_replication_slot('NAME') and snapshot.mode=when_needed: rows as they are "
               "then. Do not make slots while tables are being created."},
    {.name = "foreign_server_unreachable",
     .meaning = "A foreign table, perhaps a partition, is to be read, and the server that it is on "
                "(CREATE SERVER) does not answer, or not so.",
     .remedy = "Look at that server and at the user mapping. It is tried again. Or leave the table "
               "out: table.exclude.list; of a partitioned one its foreign partition by "
               "snapshot.select.statement.overrides."},
    {.name = "foreign_table_failed",
     .meaning = "A foreign table is to be read, and the server that it is on refuses that: the "
                "message is its own.",
     .remedy = "Mend it there, or OPTIONS and user mapping here; or leave the table out: "
               "table.exclude.list; of a partitioned one its foreign partition by "
               "snapshot.select.statement.overrides."},
    {.name = "lock_timeout",
     .meaning =
         "Another session holds a lock that a statement needs; the log says which table and who.",
     .remedy = "End or wait for that session. It is tried again."},
    {.name = "malformed_answer",
     .meaning = "An answer does not have the columns or rows that were asked for.",
     .remedy = "Is there something between walduct and the server? Report it otherwise."},
    {.name = "may_not_connect",
     .meaning = "The role may not connect to this database.",
     .remedy = "GRANT CONNECT ON DATABASE NAME TO ROLE."},
    {.name = "money_units",
     .meaning = "lc_monetary has a number of decimal places other than 2: amounts would be wrong.",
     .remedy = "Make the column numeric, or leave it out with column.exclude.list."},
    {.name = "name_invalid",
     .meaning = "A name is not allowed.",
     .remedy = "slot.name: lower-case letters, digits and underscores."},
    {.name = "no_free_wal_sender",
     .meaning = "All max_wal_senders are in use.",
     .remedy = "Raise it and restart the server, or stop a client."},
    {.name = "no_standby",
     .meaning = "database.target_session_attrs asks for a standby and no host is one.",
     .remedy = "Nothing while a failover is under way."},
    {.name = "object_exists",
     .meaning = "An object exists already.",
     .remedy = "Nothing: another process was faster."},
    {.name = "object_in_use",
     .meaning = "An object is in use by another session.",
     .remedy = "It is tried again."},
    {.name = "object_missing",
     .meaning = "An object that a statement names does not exist.",
     .remedy = "The message names it."},
    {.name = "out_of_memory",
     .meaning = "libpq found no memory.",
     .remedy = "Give the process more."},
    {.name = "password_missing",
     .meaning = "The server asks for a password and database.password is not set.",
     .remedy = "Set it; environment variables count only as ${env:NAME}."},
    {.name = "permission_denied",
     .meaning = "The role lacks a right; the message names the object.",
     .remedy = "GRANT it; docs/security.md lists what each mode and each statement needs."},
    {.name = "password_refused",
     .meaning = "The server refuses database.user with the password that database.password refers "
                "to. A file is read again for each connection, so a new one is taken up by "
                "itself; the environment (${env:NAME}) of a process does not change while it runs.",
     .remedy = "Make the two agree: ALTER ROLE … PASSWORD on the server, or the file; of "
               "${env:NAME} ALTER ROLE … PASSWORD, or a restart of the process with the new "
               "value."},
    {.name = "poll_standby",
     .meaning = "Outbox tables cannot be polled on a standby: their rows cannot be marked there.",
     .remedy = "Connect to the primary."},
    {.name = "poll_taken_over",
     .meaning =
         "A process that polls outbox tables stood still, and meanwhile its session with the "
         "server ended.",
     .remedy = "Nothing: it waits until it may take over again."},
    {.name = "pooler",
     .meaning = "A connection pooler answers instead of the server, and refuses or drops what a "
                "replication connection needs, or does not know the database.",
     .remedy = "PgBouncer passes replication connections on from 1.23: upgrade it. Of others, and "
               "where that cannot be, set database.hostname and database.port to the server "
               "itself."},
    {.name = "postgres_error",
     .meaning = "The server refused something for a reason that has no name here.",
     .remedy = "The message is the server's own; SQLSTATE says more."},
    {.name = "postgres_unreachable",
     .meaning = "Nobody answers at database.hostname and database.port.",
     .remedy = "Check both, firewalls, and that the server runs: psql -h HOST -p PORT. It is tried "
               "again; the slot keeps the WAL."},
    {.name = "query_cancelled",
     .meaning = "Somebody, or statement_timeout, cancelled a statement.",
     .remedy = "SET statement_timeout for the role: ALTER ROLE NAME SET statement_timeout = 0."},
    {.name = "query_timeout",
     .meaning = "The server has not answered a question in time.",
     .remedy = "Look at its load and locks: SELECT * FROM pg_stat_activity."},
    {.name = "read_only",
     .meaning = "The session cannot write: a standby, or default_transaction_read_only.",
     .remedy = "Connect to the primary."},
    {.name = "recovery_conflict",
     .meaning = "A standby ended a query, because its replay would remove what the query still "
                "sees, or needs a lock that it holds.",
     .remedy = "It is tried again. Set hot_standby_feedback=on or max_standby_streaming_delay=-1 "
               "on the standby, and walduct.snapshot.resume=true."},
    {.name = "relation_vanished",
     .meaning = "A table, type or publication was dropped while the server looked at it.",
     .remedy = "Nothing: it is tried again."},
    {.name = "role_may_not_log_in",
     .meaning = "The role exists without LOGIN; or not at all, where no password is asked for.",
     .remedy = "ALTER ROLE NAME LOGIN, or CREATE ROLE NAME LOGIN."},
    {.name = "role_may_not_replicate",
     .meaning = "The role lacks REPLICATION.",
     .remedy = "ALTER ROLE NAME REPLICATION; on Amazon RDS: GRANT rds_replication TO NAME."},
    {.name = "role_missing",
     .meaning = "database.user is not a role of the server.",
     .remedy =
         "CREATE ROLE NAME LOGIN REPLICATION PASSWORD '…'; docs/security.md has the whole of it."},
    {.name = "row_security_hides_rows",
     .meaning = "Row level security would hide rows from the snapshot.",
     .remedy = "ALTER ROLE NAME BYPASSRLS, or exclude the table."},
    {.name = "row_too_large",
     .meaning = "A row is larger than walduct.row.max.bytes, or than a quarter of the memory that "
                "the container may use. Nothing of it was published.",
     .remedy = "Raise either; or do not have its large column sent: a column list in the "
               "publication (PostgreSQL 15), column.exclude.list for snapshots."},
    {.name = "schema_missing",
     .meaning = "A schema does not exist.",
     .remedy = "Check the name in the message."},
    {.name = "scram_iterations",
     .meaning = "The server asks for so many rounds of SCRAM that the login would hang.",
     .remedy = "Is it the right server? A lower scram_iterations and a new password mend it."},
    {.name = "server_crashed",
     .meaning = "A process of the server crashed; it restarts.",
     .remedy = "Look at the server's log."},
    {.name = "server_data_corrupted",
     .loses = true,
     .meaning = "The server found corrupted storage.",
     .remedy = "Look at the server's log; restore, or repair with amcheck and a new snapshot."},
    {.name = "server_io_error",
     .meaning = "The server cannot read or write a file.",
     .remedy = "Look at the server's log at once: its storage may be failing."},
    {.name = "server_lacks_feature",
     .meaning = "This version of the server cannot do what was asked.",
     .remedy = "The message names it; docs/start.md lists versions."},
    {.name = "server_limit",
     .meaning = "A limit of the server's configuration is reached.",
     .remedy = "The message names it."},
    {.name = "server_out_of_resources",
     .meaning = "Memory or disk of the server is exhausted.",
     .remedy = "Look at the server's log."},
    {.name = "server_shutting_down",
     .meaning = "The server is being stopped, or somebody ended this session.",
     .remedy = "Nothing, if so. If the server ended it to release the slot, wal_status in "
               "pg_replication_slots says unreserved or lost."},
    {.name = "server_starting",
     .meaning = "The server is starting or recovering.",
     .remedy = "Nothing: it is tried again."},
    {.name = "server_state",
     .meaning = "The server cannot do this in its present state.",
     .remedy = "The message says what is missing."},
    {.name = "server_too_old",
     .meaning = "The server is older than PostgreSQL 10.",
     .remedy = "Upgrade it."},
    {.name = "session_ended",
     .meaning = "The server ended the session.",
     .remedy = "See the server's log for why. It is tried again."},
    {.name = "sql_rejected",
     .meaning = "The server refuses a statement.",
     .remedy = "Check snapshot.select.statement.overrides and database.initial.statements."},
    {.name = "sslmode_invalid",
     .meaning = "database.sslmode has no such value.",
     .remedy = "disable, allow, prefer, require, verify-ca or verify-full."},
    {.name = "standby_behind",
     .meaning = "The standby that rows are to be read from does not show yet what was committed "
                "before the stream begins, or does not have the database.",
     .remedy = "Nothing while it replays: it is tried again. Else see why it does not: "
               "pg_is_wal_replay_paused(), its log, pg_stat_replication of the primary."},
    {.name = "standby_changed",
     .meaning = "Two sessions to the standby that rows are to be read from came to different "
                "servers, or it was restarted.",
     .remedy = "Set walduct.snapshot.standby.hostname to one server, not to a balancer's name."},
    {.name = "standby_diverged",
     .meaning = "The standby that rows are to be read from follows another history than the server "
                "of the slot: another one was promoted.",
     .remedy = "Let it follow the server of database.hostname (pg_rewind), or remove "
               "walduct.snapshot.standby.hostname."},
    {.name = "standby_is_primary",
     .meaning = "walduct.snapshot.standby.hostname names a server that is a primary, or was "
                "promoted.",
     .remedy = "Name a standby of the server of database.hostname, or remove it: the primary is "
               "read then."},
    {.name = "standby_not_supported",
     .meaning = "Logical decoding on a standby needs PostgreSQL 16.",
     .remedy = "Connect to the primary."},
    {.name = "standby_of_another_cluster",
     .meaning = "walduct.snapshot.standby.hostname names a server with another system identifier.",
     .remedy = "Name a standby of the server of database.hostname."},
    {.name = "standby_position_unknown",
     .meaning = "The standby that rows are to be read from does not say what it has replayed.",
     .remedy = "Use a physical standby of PostgreSQL itself, or remove "
               "walduct.snapshot.standby.hostname."},
    {.name = "stopped",
     .meaning = "A statement was given up because the connector was asked to stop.",
     .remedy = "Nothing: it was asked for."},
    {.name = "system_mismatch",
     .meaning = "The stored offset is that of another database cluster.",
     .remedy =
         "Where another connector of this name uses this offset topic: another name. Else the "
         "original server, or bring it back at this address; then start again. After "
         "pg_upgrade: docs/upgrade.md. Only if this server is meant to take its place: "
         "walduct offsets reset NAME --accept-loss --accept-foreign, which forgets a position of "
         "the other one."},
    {.name = "table_missing",
     .meaning = "A table that a statement names does not exist, or was dropped meanwhile.",
     .remedy = "Where the message names heartbeat.action.query, or another property with a "
               "statement: create the table again, or correct the statement. A captured table that "
               "was dropped meanwhile is left out."},
    {.name = "table_not_readable",
     .meaning = "The role may not SELECT what a snapshot would read: a captured table, some of its "
                "columns, or what an override names.",
     .remedy = "Run the GRANT of the hint, or exclude the table or the columns."},
    {.name = "tls_failed",
     .meaning = "TLS could not be set up.",
     .remedy = "Check database.sslmode, database.sslrootcert and the server's ssl setting."},
    {.name = "tls_host_mismatch",
     .meaning = "The server's certificate is for another name.",
     .remedy = "Set database.hostname to a name it holds."},
    {.name = "tls_key_unusable",
     .meaning = "database.sslkey cannot be used: rights, form or password.",
     .remedy = "chmod 0600; PEM; database.sslpassword for an encrypted key."},
    {.name = "tls_required",
     .meaning = "The server takes encrypted connections only.",
     .remedy = "Set database.sslmode=require, better verify-full."},
    {.name = "tls_root_missing",
     .meaning = "The file of database.sslrootcert is missing or unreadable.",
     .remedy = "Set it to the PEM file of the server's authority."},
    {.name = "tls_untrusted",
     .meaning = "The server's certificate has expired or comes from an unknown authority.",
     .remedy = "Put the authority's certificate into database.sslrootcert."},
    {.name = "too_many_connections",
     .meaning = "max_connections, or the limit of the role or of the database, is reached: the "
                "message says which.",
     .remedy = "For a role: ALTER ROLE NAME CONNECTION LIMIT -1; for a database: ALTER DATABASE "
               "NAME CONNECTION LIMIT -1; else raise max_connections, or end idle sessions. It is "
               "tried again."},
    {.name = "transaction_rolled_back",
     .meaning = "The server rolled a transaction back (deadlock, serialization).",
     .remedy = "Nothing: it is tried again."},
    {.name = "type_missing",
     .meaning = "A type was dropped while it was asked for.",
     .remedy = "Nothing: its values are published as text, or it is tried again."},
    {.name = "unexpected_answer",
     .meaning = "An answer of the replication protocol is not what the server documents.",
     .remedy = "Is there something between walduct and the server? Report it otherwise."},
    {.name = "unknown_host",
     .meaning = "database.hostname has no address. At a start this ends the process, later it is "
                "tried again.",
     .remedy = "Check the name and the resolver: getent hosts NAME."},
    {.name = "value_too_large",
     .meaning = "A value is too large to be sent as text (1 GB).",
     .remedy = "Leave the column out with column.exclude.list."},
    {.name = "waiting_for_promotion",
     .meaning =
         "No host of database.hostname is a primary, or the slot is still synchronized from one.",
     .remedy = "Nothing: it goes on when one is promoted."},
    {.name = "wal_level_not_logical",
     .meaning = "wal_level is not logical.",
     .remedy = "ALTER SYSTEM SET wal_level = logical; then restart the server."},
    {.name = "wrong_password",
     .meaning = "The server refuses database.user with this password.",
     .remedy =
         "Set database.password; a provider such as ${file:…} is read again at each attempt."},
};

}  // namespace

absl::Span<const Reason> DatabaseReasons() { return kRows; }

}  // namespace walduct::admin
