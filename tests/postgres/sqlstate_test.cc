#include "postgres/errors/sqlstate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "postgres/errors/error_rules.h"

namespace walduct::postgres {
namespace {

struct Case {
  const char* sqlstate;
  const char* message;
  absl::StatusCode code;
  const char* reason;
};

class SqlStateTest : public ::testing::TestWithParam<Case> {};

TEST_P(SqlStateTest, FAIL06_ClassifiesByStateAndText) {
  const absl::Status status = StatusFromSqlState(GetParam().sqlstate, GetParam().message);
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_EQ(ErrorReason(status), GetParam().reason);
  EXPECT_NE(std::string(status.message()).find(GetParam().sqlstate), std::string::npos);
}

using absl::StatusCode;
using testing::HasSubstr;
using testing::StartsWith;
INSTANTIATE_TEST_SUITE_P(
    Table, SqlStateTest,
    ::testing::Values(
        Case{"28P01", "password authentication failed for user \"x\"", StatusCode::kUnauthenticated,
             "wrong_password"},
        Case{"28000", "role \"x\" is not permitted to log in", StatusCode::kUnauthenticated,
             "role_may_not_log_in"},
        Case{"28000", "no pg_hba.conf entry for host \"::1\", user \"x\"",
             StatusCode::kUnauthenticated, "address_not_allowed"},
        Case{"28000",
             "no pg_hba.conf entry for host \"::1\", user \"x\", database \"d\", no encryption",
             StatusCode::kUnauthenticated, "tls_required"},
        Case{"28000", "role \"x\" does not exist", StatusCode::kUnauthenticated,
             "authentication_failed"},
        Case{"28000", "connection requires a valid client certificate",
             StatusCode::kUnauthenticated, "client_certificate_required"},
        Case{"28000", "certificate authentication failed for user \"x\"",
             StatusCode::kUnauthenticated, "client_certificate_refused"},
        Case{"28000", "pg_hba.conf rejects connection for host \"::1\", user \"x\"",
             StatusCode::kUnauthenticated, "address_not_allowed"},
        Case{"28000",
             "pg_hba.conf rejects connection for host \"::1\", user \"x\", database \"d\", no "
             "encryption",
             StatusCode::kUnauthenticated, "address_not_allowed"},
        Case{"42501", "permission denied for database \"d\": User does not have CONNECT privilege.",
             StatusCode::kPermissionDenied, "may_not_connect"},
        Case{"3D000", "database \"d\" does not exist", StatusCode::kFailedPrecondition,
             "database_missing"},
        Case{"40001", "canceling statement due to conflict with recovery", StatusCode::kUnavailable,
             "recovery_conflict"},
        Case{"40001", "terminating connection due to conflict with recovery",
             StatusCode::kUnavailable, "recovery_conflict"},
        Case{"40001", "could not serialize access due to concurrent update", StatusCode::kAborted,
             "transaction_rolled_back"},
        Case{"3D000", "no such database: d", StatusCode::kFailedPrecondition, "pooler"},
        Case{"08P01", "unsupported startup parameter: replication", StatusCode::kFailedPrecondition,
             "pooler"},
        Case{"08P01", "unsupported startup parameter in options: extra_float_digits",
             StatusCode::kFailedPrecondition, "pooler"},
        Case{"08P01", "server conn crashed?", StatusCode::kUnavailable, "connection_lost"},
        Case{"08P01",
             "server login has been failing, cached error: connect failed (server_login_retry)",
             StatusCode::kUnavailable, "connection_lost"},
        Case{"08P01", "pooler is shutting down", StatusCode::kUnavailable, "connection_lost"},
        Case{"08P01", "query_wait_timeout", StatusCode::kUnavailable, "connection_lost"},
        Case{"08P01", "no more connections allowed (max_client_conn)", StatusCode::kUnavailable,
             "too_many_connections"},
        Case{"08P01", "invalid frontend message type 0", StatusCode::kDataLoss,
             "protocol_violation"},
        Case{"0A000",
             "Feature not supported: RDS Proxy currently doesn’t support command-line options.",
             StatusCode::kFailedPrecondition, "pooler"},
        Case{"42501", "permission denied for table t", StatusCode::kPermissionDenied,
             "permission_denied"},
        Case{"42501", "must be superuser or replication role to start walsender",
             StatusCode::kPermissionDenied, "role_may_not_replicate"},
        Case{"42501", "permission denied to start WAL sender", StatusCode::kPermissionDenied,
             "role_may_not_replicate"},
        Case{"42501", "query would be affected by row-level security policy for table \"t\"",
             StatusCode::kPermissionDenied, "row_security_hides_rows"},
        Case{"XX000", "could not open relation with OID 16385", StatusCode::kUnavailable,
             "relation_vanished"},
        Case{"XX000", "cache lookup failed for relation 16385", StatusCode::kUnavailable,
             "relation_vanished"},
        Case{"XX000", "could not map filenumber \"base/5/16385\" to relation OID",
             StatusCode::kAborted, "decoding_failed"},
        Case{"XX000", "could not map filenode \"base/5/16385\" to relation OID",
             StatusCode::kAborted, "decoding_failed"},
        Case{"XX000", "could not open relation with OID 16385 (for filenumber \"base/5/16385\")",
             StatusCode::kAborted, "decoding_failed"},
        Case{"XX000", "pg_attribute catalog is missing 2 attribute(s) for relation OID 16385",
             StatusCode::kAborted, "decoding_failed"},
        Case{"XX000", "something else", StatusCode::kFailedPrecondition, "postgres_error"},
        Case{"53300", "sorry, too many clients already", StatusCode::kUnavailable,
             "too_many_connections"},
        Case{"53300",
             "number of requested standby connections exceeds max_wal_senders (currently 1)",
             StatusCode::kUnavailable, "no_free_wal_sender"},
        Case{"53400", "all replication slots are in use", StatusCode::kFailedPrecondition,
             "no_free_slot"},
        Case{"55006", "replication slot \"s\" is active for PID 7", StatusCode::kAborted,
             "slot_in_use"},
        Case{"55000", "cannot read from logical replication slot \"s\"",
             StatusCode::kFailedPrecondition, "slot_lost"},
        Case{"55000", "can no longer access replication slot \"s\"",
             StatusCode::kFailedPrecondition, "slot_lost"},
        Case{"55000", "logical decoding requires wal_level >= logical",
             StatusCode::kFailedPrecondition, "wal_level_not_logical"},
        Case{"55000", "irgendetwas", StatusCode::kFailedPrecondition, "server_state"},
        Case{"42704", "publication \"p\" does not exist", StatusCode::kFailedPrecondition,
             "publication_missing"},
        Case{"42704", "replication slot \"s\" does not exist", StatusCode::kFailedPrecondition,
             "slot_missing"},
        Case{"58P01", "requested WAL segment 0001 has already been removed", StatusCode::kDataLoss,
             "wal_removed"},
        Case{"57P01", "terminating connection due to administrator command",
             StatusCode::kUnavailable, "server_shutting_down"},
        Case{"57P02", "", StatusCode::kUnavailable, "server_crashed"},
        Case{"57P03", "the database system is starting up", StatusCode::kUnavailable,
             "server_starting"},
        Case{"57014", "canceling statement due to user request", StatusCode::kDeadlineExceeded,
             "query_cancelled"},
        Case{"08006", "connection failure", StatusCode::kUnavailable, "connection_lost"},
        Case{"40001", "could not serialize access", StatusCode::kAborted,
             "transaction_rolled_back"},
        Case{"40P01", "deadlock detected", StatusCode::kAborted, "transaction_rolled_back"},
        Case{"55P03", "canceling statement due to lock timeout", StatusCode::kDeadlineExceeded,
             "lock_timeout"},
        Case{"42P01", "relation \"t\" does not exist", StatusCode::kFailedPrecondition,
             "table_missing"},
        Case{"42601", "syntax error at or near \"x\"", StatusCode::kFailedPrecondition,
             "sql_rejected"},
        Case{"ZZ999", "from an extension", StatusCode::kFailedPrecondition, "postgres_error"}));

// What a snapshot or a start cannot do, somebody has to mend.
TEST(SqlState, NothingIsWithoutAHint) {
  for (const ErrorRule& rule : SqlStateRules())
    EXPECT_TRUE(*rule.hint != '\0' || !GeneralHint(rule.reason).empty()) << rule.reason;
  for (const ErrorRule& rule : ConnectionRules()) EXPECT_STRNE(rule.hint, "") << rule.reason;
  for (const char* const state : {"57014", "0A000", "22P02", "42P01", "P0001", "XX000", "08006"})
    EXPECT_NE(ErrorHint(StatusFromSqlState(state, "so it is")), "") << state;
  EXPECT_NE(ErrorHint(StatusFromLibpqText("so it is", {})), "");
}

TEST(SqlState, ALimitOfARoleOrADatabaseIsNotTheServers) {
  const auto hint = [](const char* message, const char* function) {
    return ErrorHint(StatusFromSqlState("53300", message, function));
  };
  EXPECT_THAT(hint("too many connections for role \"r\"", ""), StartsWith("ALTER ROLE NAME CONN"));
  EXPECT_THAT(hint("zu viele Verbindungen", "InitializeSessionUserId"),
              StartsWith("ALTER ROLE NAME CONNECTION LIMIT -1"));
  EXPECT_THAT(hint("zu viele Verbindungen", "CheckMyDatabase"),
              StartsWith("ALTER DATABASE NAME CONNECTION LIMIT -1"));
  EXPECT_THAT(hint("sorry, too many clients already", "InitProcess"),
              HasSubstr("ALTER SYSTEM SET max_connections"));
}

TEST(SqlState, AStatementThatSomebodyWroteIsNamed) {
  const absl::Status missing = StatusFromSqlState("42P01", "relation \"beat\" does not exist");
  EXPECT_EQ(ErrorHint(OfStatement(missing, "heartbeat.action.query")),
            "heartbeat.action.query names it: create it again, or correct the statement");
  const absl::Status other = StatusFromSqlState("42601", "syntax error");
  EXPECT_EQ(OfStatement(other, "heartbeat.action.query"), other);
}

TEST(SqlState, TheLineOfPgHbaIsWhole) {
  const auto hint = [](const std::string& message) {
    return WithHbaLine(ErrorHint(StatusFromSqlState("28000", message)), message, "shop", "wal");
  };
  EXPECT_THAT(hint("no pg_hba.conf entry for host \"10.0.0.5\", user \"wal\", database \"shop\", "
                   "SSL encryption"),
              HasSubstr(": hostssl \"shop\" \"wal\" 10.0.0.5/32 scram-sha-256; then SELECT "
                        "pg_reload_conf()"));
  EXPECT_THAT(hint("pg_hba.conf rejects connection for host \"::1\", user \"wal\", database "
                   "\"shop\", no encryption"),
              HasSubstr("put above it: host \"shop\" \"wal\" ::1/128 scram-sha-256; then"));
  EXPECT_THAT(hint("no pg_hba.conf entry for host \"[local]\", user \"wal\", database \"shop\", "
                   "SSL on"),
              HasSubstr(": local \"shop\" \"wal\" scram-sha-256"));
  EXPECT_THAT(hint("pg_hba.conf: нет"), HasSubstr("host \"shop\" \"wal\" ADDRESS scram-sha-256"));
}

TEST(SqlState, AnotherServersErrorIsNotThisOnes) {
  const auto reason = [](const char* state, const char* function) {
    return ErrorReason(StatusFromSqlState(state, "нет связи", function));
  };
  EXPECT_EQ(reason("08001", "connect_pg_server"), "foreign_server_unreachable");
  EXPECT_EQ(reason("08006", "pgfdw_report_error"), "foreign_server_unreachable");
  EXPECT_EQ(reason("08006", ""), "connection_lost");
  EXPECT_EQ(reason("57P01", "pgfdw_report_error"), "foreign_server_unreachable");
  EXPECT_EQ(reason("57P01", "ProcessInterrupts"), "server_shutting_down");
  EXPECT_EQ(reason("42P01", "pgfdw_report_error"), "foreign_table_failed");
  EXPECT_EQ(reason("42P01", "parserOpenTable"), "table_missing");
  EXPECT_EQ(reason("42501", "pgfdw_report_error"), "foreign_table_failed");
  EXPECT_EQ(reason("HV00N", ""), "foreign_table_failed");
}

TEST(SqlStateHintTest, PRM01_TellsWhatToType) {
  EXPECT_NE(ErrorHint(StatusFromSqlState("42501", "permission denied to start WAL sender"))
                .find("REPLICATION"),
            std::string::npos);
  EXPECT_NE(ErrorHint(StatusFromSqlState("28000", "no pg_hba.conf entry"))
                .find("host DATABASE USER ADDRESS"),
            std::string::npos);
}

// Russian, as PostgreSQL 15 says it: the function that raises an error tells what its words would.
TEST(SqlStateTest, AnotherLanguageHasTheReasonsOfEnglish) {
  struct Said {
    const char *sqlstate, *message, *function, *reason;
  };
  const Said all[] = {
      {"42704", "слот репликации \"s\" не существует", "ReplicationSlotAcquire", "slot_missing"},
      {"42704", "публикация \"p\" не существует", "get_publication_oid", "publication_missing"},
      {"42704", "тип \"t\" не существует", "typenameType", "object_missing"},
      {"42710", "слот репликации \"s\" уже существует", "ReplicationSlotCreate", "slot_exists"},
      {"42710", "публикация \"p\" уже существует", "CreatePublication", "object_exists"},
      {"55006", "слот репликации \"s\" занят процессом с PID 7", "ReplicationSlotAcquire",
       "slot_in_use"},
      {"55006", "база данных занята", "dropdb", "object_in_use"},
      {"53400", "используются все слоты репликации", "ReplicationSlotCreate", "no_free_slot"},
      {"58P01", "запрошенный сегмент WAL 0001 уже удалён", "WalSndSegmentOpen", "wal_removed"},
      {"58P01", "ошибка при обращении к файлу \"x\"", "internal_load_library", "plugin_missing"},
      {"42501", "запрос будет ограничен политикой безопасности", "check_enable_rls",
       "row_security_hides_rows"},
      {"42501", "требуется роль репликации", "InitPostgres", "role_may_not_replicate"},
      {"42501", "доступ к базе \"d\" запрещён", "CheckMyDatabase", "may_not_connect"},
      {"42501", "нет доступа к таблице t", "aclcheck_error", "permission_denied"},
      {"28000", "для роли \"x\" вход запрещён", "InitializeSessionUserId", "role_may_not_log_in"},
      {"28000", "в pg_hba.conf нет записи для компьютера", "ClientAuthentication",
       "address_not_allowed"},
      {"28000", "для подключения требуется сертификат", "ClientAuthentication",
       "client_certificate_required"},
      {"40001", "выполнение оператора отменено", "ProcessInterrupts", "recovery_conflict"},
      {"40001", "не удалось сериализовать доступ", "heap_update", "transaction_rolled_back"},
      {"0A000", "в процессе восстановления", "CheckLogicalDecodingRequirements",
       "standby_not_supported"},
  };
  for (const Said& said : all) {
    const absl::Status status = StatusFromSqlState(said.sqlstate, said.message, said.function);
    EXPECT_EQ(ErrorReason(status), said.reason) << said.message;
  }
}

TEST(SqlStateTest, ATablesNameIsNotTakenForWhatIsMissing) {
  EXPECT_EQ(ErrorReason(StatusFromSqlState("42501", "permission denied for table replication")),
            "permission_denied");
  EXPECT_EQ(
      ErrorReason(StatusFromSqlState("42704", "replication slot \"publication\" does not exist")),
      "slot_missing");
}

TEST(SqlStateTest, ARefusedConnectionInAnotherLanguage) {
  const auto refusal = [](const std::string& sqlstate, const std::string& message,
                          const std::string& function) {
    return "connection to server at \"h\", port 1 failed: VAZHNO:  " + sqlstate + ": " + message +
           "\nLOCATION:  " + function + ", auth.c:1\n";
  };
  const std::string no_entry = refusal("28000", "v pg_hba.conf net zapisi", "ClientAuthentication");
  const auto reason = [](const std::string& text, const Attempt& attempt) {
    return ErrorReason(StatusFromLibpqText(text, attempt));
  };
  EXPECT_EQ(reason(no_entry, {.encrypted = true}), "address_not_allowed");
  EXPECT_EQ(reason(no_entry, {.encrypted = false}), "tls_required");
  EXPECT_EQ(reason(no_entry + no_entry, {.encrypted = false}), "address_not_allowed")
      << "sslmode=prefer tries with encryption first";
  EXPECT_EQ(reason(no_entry + no_entry, {.encrypted = true, .plain_first = true}), "tls_required");
  const std::string by_certificate = refusal("28000", "oshibka po sertifikatu", "auth_failed");
  EXPECT_EQ(reason(by_certificate, {.encrypted = true, .certificate = true}),
            "client_certificate_refused");
  EXPECT_EQ(reason(by_certificate, {.encrypted = true}), "authentication_failed");
  EXPECT_EQ(reason(refusal("28000", "dlya roli vkhod zapreshhyon", "InitializeSessionUserId"), {}),
            "role_may_not_log_in");
  EXPECT_EQ(reason(refusal("28P01", "parol`", "auth_failed"), {}), "wrong_password");
}

TEST(SqlStateTest, ATableThatAWalsenderDoesNotFindWasNotDroppedAMomentBefore) {
  const absl::Status status =
      OfDecoding(StatusFromSqlState("XX000", "could not open relation with OID 16385"));
  EXPECT_EQ(ErrorReason(status), "decoding_failed");
  EXPECT_TRUE(absl::IsAborted(status)) << "tried again, within slot.max.retries";
  EXPECT_NE(ErrorHint(status).find("pg_drop_replication_slot"), std::string::npos);
  const absl::Status other = StatusFromSqlState("57P01", "terminating connection");
  EXPECT_EQ(OfDecoding(other), other);
}

TEST(SqlStateTextTest, HidesValuesThatDataErrorsQuote) {
  const absl::Status status =
      StatusFromSqlState("22P02", "invalid input syntax for type integer: \"secret\"");
  EXPECT_EQ(std::string(status.message()).find("secret"), std::string::npos) << status;
  EXPECT_EQ(ErrorReason(status), "data_exception");
  for (const char* const message :
       {"syntaxe en entrée invalide pour le type integer : « secret »",
        "ungültige Eingabesyntax für Typ integer: »secret«", "ungültige Eingabesyntax: „secret“",
        "ogiltig indatasyntax för typ integer: ”secret”",
        "型integerの入力構文が不正です: 「secret」", "nie zamknięte: „secret"}) {
    const absl::Status other = StatusFromSqlState("22P02", message);
    EXPECT_EQ(std::string(other.message()).find("secret"), std::string::npos) << other;
  }
}

}  // namespace
}  // namespace walduct::postgres
