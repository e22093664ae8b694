#include "postgres/errors/error_rules.h"

namespace walduct::postgres {
namespace {

constexpr auto kAborted = absl::StatusCode::kAborted;
constexpr auto kDataLoss = absl::StatusCode::kDataLoss;
constexpr auto kDeadlineExceeded = absl::StatusCode::kDeadlineExceeded;
constexpr auto kFailedPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalidArgument = absl::StatusCode::kInvalidArgument;
constexpr auto kPermissionDenied = absl::StatusCode::kPermissionDenied;
constexpr auto kUnauthenticated = absl::StatusCode::kUnauthenticated;
constexpr auto kUnavailable = absl::StatusCode::kUnavailable;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

constexpr char kPooler[] =
    "set database.hostname and database.port to the server itself, or to a pooler that knows this "
    "database and passes replication connections on (PgBouncer from 1.23 on)";
constexpr char kPoolerFull[] =
    "give the pooler more room, or end clients of it: max_client_conn and pool_size of "
    "pgbouncer.ini";
constexpr char kPoolerOptions[] =
    "set database.hostname and database.port to the server itself; of the poolers, PgBouncer from "
    "1.23 on will do as it is";
constexpr char kSlotLost[] =
    "the WAL this slot needed is gone: drop the slot (SELECT pg_drop_replication_slot('NAME')) and "
    "take a new snapshot "
    "(snapshot.mode=when_needed does both); raise max_slot_wal_keep_size to prevent it "
    "again";
constexpr char kPublicationMissing[] =
    "a publication must exist before the WAL that is decoded was written: create it again under "
    "the same name; if it was "
    "created after the slot, drop the slot and take a new snapshot";
constexpr char kHba[] =
    "add this line to pg_hba.conf, which SHOW hba_file names (a logical walsender matches by "
    "database name, not by "
    "the word replication): host DATABASE USER ADDRESS scram-sha-256; then SELECT pg_reload_conf()";
constexpr char kHbaEither[] =
    "no line of pg_hba.conf allows this database, user and address, or one with the method reject "
    "comes first: put host DATABASE USER ADDRESS scram-sha-256 above it, then SELECT "
    "pg_reload_conf()";
constexpr char kReplicationRole[] =
    "ALTER ROLE … REPLICATION (Amazon RDS: GRANT rds_replication TO …)";
constexpr char kTls[] =
    "check database.sslmode, database.sslrootcert, database.sslcert and database.sslkey, and the "
    "server's ssl setting";
constexpr char kIssuer[] =
    "the server's certificate has expired, or none of the authorities in database.sslrootcert has "
    "issued it; what is wrong says: openssl s_client -starttls postgres -connect HOST:PORT -CAfile "
    "FILE";
constexpr char kHostMismatch[] =
    "set database.hostname to a name that the server's certificate holds, or give the server a "
    "certificate with this name; database.sslmode=verify-ca checks the issuer alone";
constexpr char kRootMissing[] =
    "set database.sslrootcert to the PEM file with the certificate of the server's authority";
constexpr char kOwnKey[] =
    "database.sslkey needs the PEM key of database.sslcert, and an encrypted one "
    "database.sslpassword; an encrypted PKCS8 key in DER form (the Java driver's) is converted "
    "with: openssl pkcs8 -inform DER -in KEY.pk8 -out KEY.pem";
constexpr char kOwnCertificate[] =
    "set database.sslcert and database.sslkey to the PEM files of a client certificate, issued by "
    "an authority in the server's ssl_ca_file, not expired, whose CN is the role's name (or map it "
    "in pg_ident.conf)";
constexpr char kPromotion[] =
    "no host of database.hostname is a primary: nothing to do while a failover is under way";
constexpr char kVanished[] =
    "a table, type or publication was dropped or altered meanwhile; it is tried again";
constexpr char kUndecodable[] =
    "PostgreSQL cannot decode a change of this slot: mostly one to a table that was created while "
    "the slot was being made and other transactions ran, or after VACUUM FULL of a catalog. What "
    "was published stands; what was committed since is in the tables, but this slot will not "
    "give it. If trying again does not help: stop, SELECT pg_drop_replication_slot('NAME'), start "
    "with snapshot.mode=when_needed: a new snapshot brings the rows as they are then, not the "
    "changes between, nor what was deleted";
constexpr char kRecoveryConflict[] =
    "the standby ended the query to replay what contradicts it: set hot_standby_feedback=on there "
    "(the primary keeps what the query still sees) or max_standby_streaming_delay=-1 (its replay "
    "waits), and walduct.snapshot.resume=true, so that what is read is not read again";
constexpr char kReachable[] =
    "check database.hostname, database.port, firewalls, and that the server runs";

constexpr char kForeignServer[] =
    "a foreign table (postgres_fdw) is read through this server, which does not answer, or not "
    "so: look at it, at CREATE SERVER and at the user mapping; or leave the table out "
    "(table.exclude.list), of a partitioned one its foreign partition "
    "(snapshot.select.statement.overrides)";
constexpr char kForeignTable[] =
    "the message is that of another server, which a foreign table (postgres_fdw) is read through: "
    "mend it there, or its OPTIONS and user mapping here; or leave the table out "
    "(table.exclude.list), of a partitioned one its foreign partition "
    "(snapshot.select.statement.overrides)";
// By whom postgres_fdw tells of the other server.
constexpr char kForeignReport[] = "pgfdw_report_error pgfdw_report";

constexpr ErrorRule kSqlStateRules[] = {
    // Another server's, whatever they say.
    {"08", "", kUnavailable, "foreign_server_unreachable", kForeignServer,
     "connect_pg_server pgfdw_report_error pgfdw_report"},
    {"57P", "", kUnavailable, "foreign_server_unreachable", kForeignServer, kForeignReport},
    {"", "", kFailedPrecondition, "foreign_table_failed", kForeignTable, kForeignReport},
    {"HV", "", kFailedPrecondition, "foreign_table_failed", kForeignTable},
    {"08001", "", kUnavailable, "foreign_server_unreachable", kForeignServer},
    // Who we are.
    {"28P01", "", kUnauthenticated, "wrong_password", "check database.user and database.password"},
    {"28000", "pg_hba.conf rejects", kUnauthenticated, "address_not_allowed",
     "a line of pg_hba.conf, which SHOW hba_file names, with the method reject fits this "
     "connection before any other: put above it: host DATABASE USER ADDRESS scram-sha-256; then "
     "SELECT pg_reload_conf(); where it rejects only what is not encrypted (hostnossl), "
     "database.sslmode=require"},
    {"28000", "no encryption", kUnauthenticated, "tls_required",
     "set database.sslmode=require, or allow the address in pg_hba.conf"},
    {"28000", "SSL off", kUnauthenticated, "tls_required",
     "set database.sslmode=require, or allow the address in pg_hba.conf"},
    {"28000", "client certificate", kUnauthenticated, "client_certificate_required",
     kOwnCertificate},
    {"28000", "ertificate authentication failed", kUnauthenticated, "client_certificate_refused",
     kOwnCertificate},
    {"28000", "no pg_hba.conf entry", kUnauthenticated, "address_not_allowed", kHba},
    {"28000", "pg_hba.conf", kUnauthenticated, "address_not_allowed", kHbaEither},
    {"28000", "", kUnauthenticated, "client_certificate_required", kOwnCertificate,
     "ClientAuthentication"},
    {"28000", "not permitted to log in", kUnauthenticated, "role_may_not_log_in",
     "ALTER ROLE … LOGIN; where there is no such role, CREATE ROLE … LOGIN",
     "InitializeSessionUserId"},
    {"28", "", kUnauthenticated, "authentication_failed",
     "check database.user, database.password and pg_hba.conf"},
    {"3D000", "no such database", kFailedPrecondition, "pooler", kPooler},
    {"3D000", "", kFailedPrecondition, "database_missing", "check database.dbname"},
    {"42501", "row-level security", kPermissionDenied, "row_security_hides_rows",
     "a snapshot would miss rows: ALTER ROLE … BYPASSRLS, or exclude the table",
     "check_enable_rls"},
    {"42501", "replication role", kPermissionDenied, "role_may_not_replicate", kReplicationRole,
     "CheckSlotPermissions check_permissions InitPostgres"},
    {"42501", "to use replication slots", kPermissionDenied, "role_may_not_replicate",
     kReplicationRole},
    {"42501", "WAL sender", kPermissionDenied, "role_may_not_replicate", kReplicationRole},
    {"42501", "CONNECT privilege", kPermissionDenied, "may_not_connect",
     "GRANT CONNECT ON DATABASE … TO …", "CheckMyDatabase"},
    {"42501", "", kPermissionDenied, "permission_denied",
     "give the role the right on what the message names; docs/security.md lists what each "
     "statement of walduct needs"},

    // A pooler in between.
    {"08P01", "startup parameter: replication", kFailedPrecondition, "pooler",
     kPoolerReplicationHint},
    {"08P01", "startup parameter", kFailedPrecondition, "pooler", kPoolerOptions},
    {"0A000", "command-line options", kFailedPrecondition, "pooler", kPoolerOptions},
    // PgBouncer's own errors all have this state: that the server is away, or has no room.
    {"08P01", "server conn crashed", kUnavailable, "connection_lost", ""},
    {"08P01", "server login has been failing", kUnavailable, "connection_lost", ""},
    {"08P01", "server_login_retry", kUnavailable, "connection_lost", ""},
    {"08P01", "cannot connect", kUnavailable, "connection_lost", ""},
    {"08P01", "shutting down", kUnavailable, "connection_lost", ""},
    {"08P01", "query_wait_timeout", kUnavailable, "connection_lost",
     "the pooler has no session of the server for it: the server is away, or pool_size of "
     "pgbouncer.ini is too small"},
    {"08P01", "max_client_conn", kUnavailable, "too_many_connections", kPoolerFull},
    {"08P01", "too many servers in the pool", kUnavailable, "too_many_connections", kPoolerFull},
    {"08P01", "", kDataLoss, "protocol_violation", ""},

    // Slots and publications.
    {"53400", "replication slots are in use", kFailedPrecondition, "no_free_slot",
     "raise max_replication_slots and restart the server, or drop a slot nobody uses (SELECT "
     "slot_name, active FROM "
     "pg_replication_slots)",
     "ReplicationSlotCreate"},
    {"53300", "max_wal_senders", kUnavailable, "no_free_wal_sender",
     "raise max_wal_senders and restart the server"},
    {"55006", "is active for PID", kAborted, "slot_in_use", kSlotInUseHint,
     "ReplicationSlotAcquire"},
    {"55006", "", kAborted, "object_in_use", ""},
    {"55000", "not created in this database", kFailedPrecondition, "slot_wrong_database",
     "choose another slot.name, or connect to the slot's database"},
    {"55000", "physical replication slot", kFailedPrecondition, "slot_wrong_plugin",
     "choose another slot.name"},
    {"55000", "wal_level", kFailedPrecondition, "wal_level_not_logical",
     "ALTER SYSTEM SET wal_level = logical; then restart the server"},
    {"55000", "cannot read from logical replication slot", kFailedPrecondition, "slot_lost",
     kSlotLost, "StartLogicalReplication"},
    {"55000", "can no longer", kFailedPrecondition, "slot_lost", kSlotLost,
     "ReplicationSlotAcquire"},
    {"55000", "skipped loading publication", kFailedPrecondition, "publication_missing",
     kPublicationMissing},
    {"55000", "is being synchronized", kUnavailable, "waiting_for_promotion", kPromotion},
    {"55000", "", kFailedPrecondition, "server_state", ""},
    {"42704", "replication slot \"", kFailedPrecondition, "slot_missing",
     "the slot was dropped: changes since then are lost; take a new snapshot "
     "(snapshot.mode=when_needed)",
     "ReplicationSlotAcquire"},
    {"42704", "publication", kFailedPrecondition, "publication_missing", kPublicationMissing,
     "get_publication_oid AlterPublication"},
    {"42704", "", kFailedPrecondition, "object_missing", ""},
    {"42710", "replication slot", kAborted, "slot_exists",
     "another process has just created this slot", "ReplicationSlotCreate"},
    {"42710", "", kAborted, "object_exists", ""},
    {"42602", "", kInvalidArgument, "name_invalid",
     "slot.name may hold lower-case letters, digits and underscores"},
    {"58P01", "has already been removed", kDataLoss, "wal_removed", kSlotLost,
     "WalSndSegmentOpen CheckXLogRemoved"},
    {"58P01", "could not access file", kFailedPrecondition, "plugin_missing",
     "the server lacks this output plugin",
     "internal_load_library load_external_function expand_dynamic_library_name"},
    {"58", "", kUnavailable, "server_io_error", "check the server's log"},

    // The server is going, gone, or has too much to do.
    {"57P01", "", kUnavailable, "server_shutting_down",
     "if the server is not being stopped, somebody ended this session (pg_terminate_backend), or "
     "the server did to release the slot: see wal_status in pg_replication_slots"},
    {"57P02", "", kUnavailable, "server_crashed", ""},
    {"57P03", "", kUnavailable, "server_starting", ""},
    {"57P04", "", kFailedPrecondition, "database_missing", "the database was dropped"},
    {"57014", "", kDeadlineExceeded, "query_cancelled", ""},
    {"57", "", kUnavailable, "session_ended", ""},
    {"25P", "", kUnavailable, "session_ended", ""},
    {"25006", "", kFailedPrecondition, "read_only",
     "connect to the primary; where it is one, SHOW default_transaction_read_only: ALTER ROLE NAME "
     "SET default_transaction_read_only = off is for this role alone"},
    {"53400", "", kFailedPrecondition, "server_limit", ""},
    {"53300", "too many connections for role", kUnavailable, "too_many_connections",
     "ALTER ROLE NAME CONNECTION LIMIT -1, or end sessions of the role: max_connections does not "
     "help, it is the role's own limit that is reached",
     "InitializeSessionUserId"},
    {"53300", "too many connections for database", kUnavailable, "too_many_connections",
     "ALTER DATABASE NAME CONNECTION LIMIT -1, or end sessions of it: max_connections does not "
     "help, it is the database's own limit that is reached",
     "CheckMyDatabase"},
    {"53300", "", kUnavailable, "too_many_connections",
     "end sessions that nobody needs (SELECT usename, application_name, state, count(*) FROM "
     "pg_stat_activity GROUP BY 1, 2, 3), or ALTER SYSTEM SET max_connections to more and restart "
     "the server"},
    {"53", "", kUnavailable, "server_out_of_resources", ""},
    {"08", "", kUnavailable, "connection_lost", ""},
    {"40001", "conflict with recovery", kUnavailable, "recovery_conflict", kRecoveryConflict,
     "ProcessInterrupts ProcessRecoveryConflictInterrupt"},
    {"40", "", kAborted, "transaction_rolled_back", ""},
    {"55P03", "", kDeadlineExceeded, "lock_timeout", "another session holds a lock: see pg_locks"},

    // What was asked for cannot be done.
    {"22021", "", kFailedPrecondition, "bytes_not_in_encoding",
     "the database holds bytes that are not valid text in its encoding; repair the row"},
    {"22", "", kFailedPrecondition, "data_exception", ""},
    {"23", "", kFailedPrecondition, "constraint_violation", ""},
    {"42P01", "", kFailedPrecondition, "table_missing", ""},
    {"3F000", "", kFailedPrecondition, "schema_missing", ""},
    {"42", "", kFailedPrecondition, "sql_rejected",
     "check the statements that somebody wrote: snapshot.select.statement.overrides, "
     "database.initial.statements, heartbeat.action.query, conditions of signals"},
    {"0A000", "recovery", kFailedPrecondition, "standby_not_supported",
     "logical decoding on a standby needs PostgreSQL 16 or newer; connect to the primary",
     "CheckLogicalDecodingRequirements"},
    {"0A000", "", kUnimplemented, "server_lacks_feature", ""},
    {"54", "", kFailedPrecondition, "value_too_large",
     "a value is too large to be sent as text (1 GB)"},
    // A walsender looks for the table of a change, as the catalog was then. These texts, and those
    // below, are never translated.
    {"XX000", "could not map file", kAborted, "decoding_failed", kUndecodable},
    {"XX000", "(for filen", kAborted, "decoding_failed", kUndecodable},
    {"XX000", "pg_attribute catalog is missing", kAborted, "decoding_failed", kUndecodable},
    // The server looked for a relation that another session had dropped a moment before.
    {"XX000", "could not open relation with OID", kUnavailable, "relation_vanished", kVanished},
    {"XX000", "cache lookup failed", kUnavailable, "relation_vanished", kVanished},
    {"XX000", "tuple concurrently", kUnavailable, "relation_vanished", kVanished},
    {"XX001", "", kDataLoss, "server_data_corrupted",
     "the server found corrupted storage; look into its log"},
    {"XX002", "", kDataLoss, "server_data_corrupted",
     "the server found a corrupted index; look into its log"},
};

constexpr ErrorRule kConnectionRules[] = {
    // Of several hosts none is what database.target_session_attrs asks for.
    {"", "is in hot standby mode", kUnavailable, "waiting_for_promotion", kPromotion},
    {"", "session is read-only", kUnavailable, "waiting_for_promotion", kPromotion},
    {"", "server is not in hot standby mode", kUnavailable, "no_standby", kReachable},
    {"", "session is not read-only", kUnavailable, "no_standby", kReachable},
    {"", "could not translate host name", kUnavailable, "unknown_host",
     "check database.hostname and name resolution"},
    {"", "no password supplied", kUnauthenticated, "password_missing",
     "set database.password; environment variables are not read, ${env:PGPASSWORD} names one"},
    {"", "invalid sslmode value", kInvalidArgument, "sslmode_invalid",
     "database.sslmode: disable, allow, prefer, require, verify-ca or verify-full"},
    {"", "does not support SSL", kFailedPrecondition, "tls_failed", kTls},
    {"", "does not match host name", kFailedPrecondition, "tls_host_mismatch", kHostMismatch},
    {"", "certificate verify failed", kFailedPrecondition, "tls_untrusted", kIssuer},
    {"", "root certificate", kFailedPrecondition, "tls_root_missing", kRootMissing},
    {"", "has group or world access", kFailedPrecondition, "tls_key_unusable",
     "chmod 0600 the file of database.sslkey"},
    {"", "private key", kFailedPrecondition, "tls_key_unusable", kOwnKey},
    {"", "alert unknown ca", kFailedPrecondition, "client_certificate_refused", kOwnCertificate},
    {"", "alert certificate", kFailedPrecondition, "client_certificate_refused", kOwnCertificate},
    {"", "certificate", kFailedPrecondition, "tls_failed", kTls},
    {"", "Connection refused", kUnavailable, "postgres_unreachable", kReachable},
    {"", "timeout expired", kUnavailable, "postgres_unreachable", kReachable},
    {"", "No route to host", kUnavailable, "postgres_unreachable", kReachable},
    {"", "Network is unreachable", kUnavailable, "postgres_unreachable", kReachable},
    {"", "No such file or directory", kUnavailable, "postgres_unreachable", kReachable},
    {"", "authentication method", kUnauthenticated, "authentication_failed",
     "libpq does not know the authentication method that pg_hba.conf asks for"},
    {"", "SCRAM", kUnauthenticated, "authentication_failed",
     "check database.user and database.password"},
};

struct General {
  const char* reason;
  const char* hint;
};

constexpr General kGeneral[] = {
    {"protocol_violation",
     "something between walduct and the server changes what they say: connect to the server "
     "itself, and look at its log"},
    {"object_in_use", "another session uses it (pg_stat_activity); it is tried again"},
    {"server_state", "the message says what the server lacks; its log may say more"},
    {"object_missing",
     "what the message names was dropped, or has another name: walduct doctor says what is "
     "missing"},
    {"object_exists", "another session has just made it; it is tried again"},
    {"server_crashed", "the server starts again by itself; its log says why it ended"},
    {"server_starting", "nothing: it is tried again until the server takes sessions"},
    {"query_cancelled",
     "statement_timeout has ended it, or somebody (pg_cancel_backend): ALTER ROLE NAME SET "
     "statement_timeout = 0"},
    {"session_ended",
     "the server's log says why it ended the session: idle_in_transaction_session_timeout, "
     "idle_session_timeout, transaction_timeout; it is tried again"},
    {"server_limit", "raise the setting that the message names"},
    {"server_out_of_resources",
     "the server's memory, disk or locks are used up: its log says which; it is tried again"},
    {"connection_lost",
     "look at the server's log and at what lies between (proxies, idle timeouts); it is tried "
     "again"},
    {"transaction_rolled_back", "it is tried again; of a deadlock the server's log says with whom"},
    {"data_exception",
     "a statement that somebody wrote computes it, or a view or generated column does: "
     "snapshot.select.statement.overrides, heartbeat.action.query, the condition of a signal"},
    {"constraint_violation",
     "a trigger or constraint of a table that walduct writes to refuses the row: signaling table, "
     "heartbeat.action.query"},
    {"table_missing",
     "the table that the message names was dropped, or has another name; a statement of "
     "snapshot.select.statement.overrides or heartbeat.action.query, or a view, may name it"},
    {"schema_missing",
     "the schema that the message names was dropped, or has another name; a statement of "
     "snapshot.select.statement.overrides or heartbeat.action.query may name it"},
    {"server_lacks_feature", "this version of the server cannot do what the message names"},
    {"postgres_error", "the message is the server's own; its log may say more"},
};

// By a password that is read anew for each connection; at the end of a slot's stream.
constexpr Becomes kLater[] = {
    {"wrong_password", "password_refused"},
    {"relation_vanished", "decoding_failed"},
    {"server_shutting_down", "slot_invalidated"},
};

}  // namespace

absl::Span<const Becomes> LaterReasons() { return kLater; }

absl::string_view GeneralHint(absl::string_view reason) {
  for (const General& one : kGeneral) {
    if (one.reason == reason) return one.hint;
  }
  return "";
}

absl::Span<const ErrorRule> SqlStateRules() { return kSqlStateRules; }
absl::Span<const ErrorRule> ConnectionRules() { return kConnectionRules; }

}  // namespace walduct::postgres
