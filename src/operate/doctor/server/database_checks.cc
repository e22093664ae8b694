// Settings, role, clock and tables of a database. Declared in doctor/checks.h.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "encode/options/encode_options.h"
#include "encode/types/column_rules.h"
#include "engine/errors/named_hint.h"
#include "names/table_filter.h"
#include "operate/doctor/checks.h"
#include "outbox/options.h"
#include "outbox/tables.h"
#include "postgres/checks/money_check.h"
#include "postgres/connection_options.h"
#include "postgres/options.h"
#include "postgres/server_check.h"
#include "replication/options.h"
#include "replication/publication/publication.h"
#include "replication/publication/publication_advice.h"
#include "replication/publication_name.h"
#include "replication/slot.h"
#include "slot/start/no_tables.h"
#include "slot/world/preview/chain_preview.h"
#include "slot/world/slots/slot_tables.h"
#include "snapshot/mode.h"
#include "snapshot/options.h"
#include "transform/chain/chain_spec.h"

namespace walduct::operate {
namespace {

using postgres::Connection;
using postgres::Result;

constexpr absl::Duration kMostSkew = absl::Seconds(5);
constexpr int64_t kShortSenderMs = 10'000;

// In the units of pg_settings: milliseconds, megabytes, minutes or seconds.
constexpr absl::string_view kSettings = R"(
SELECT (SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'wal_sender_timeout'),
       (SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'max_slot_wal_keep_size'),
       (SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'idle_replication_slot_timeout'),
       pg_catalog.current_setting('server_encoding'),
       pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()),
       (SELECT pg_catalog.date_part('epoch', r.rolvaliduntil - pg_catalog.now()) / 86400
        FROM pg_catalog.pg_roles r WHERE r.rolname = current_user AND r.rolvaliduntil < 'infinity'),
       current_user)";

enum SettingColumn { kSender, kKeep, kIdle, kEncoding, kClock, kDaysValid, kRole };

int64_t Number(const Result& result, int column, int64_t otherwise) {
  int64_t number = 0;
  return absl::SimpleAtoi(result.Get(0, column), &number) ? number : otherwise;
}

double Real(const Result& result, int column) {
  double number = 0;
  return absl::SimpleAtod(result.Get(0, column), &number) ? number : 0;
}

void CheckTimeouts(const Result& settings, Findings* findings) {
  const int64_t sender = Number(settings, kSender, 60'000);
  if (sender > 0 && sender < kShortSenderMs) {
    findings->Add({.severity = Severity::kWarning,
                   .reason = "wal_sender_timeout_short",
                   .message = absl::StrCat("wal_sender_timeout is ", sender,
                                           " ms: a short pause of the network ends the stream"),
                   .hint = "ALTER SYSTEM SET wal_sender_timeout = '60s'; SELECT pg_reload_conf()"});
  }
  if (sender == 0) {
    findings->Add({.severity = Severity::kWarning,
                   .reason = "wal_sender_timeout_off",
                   .message = "wal_sender_timeout is 0: the server never notices that a reader is "
                              "gone, and another cannot take its slot",
                   .hint = "ALTER SYSTEM SET wal_sender_timeout = '60s'; SELECT pg_reload_conf()"});
  }
  if (const int64_t idle = Number(settings, kIdle, 0); idle > 0) {
    findings->Add({.severity = Severity::kWarning,
                   .reason = "idle_slot_timeout_set",
                   .message = absl::StrCat("idle_replication_slot_timeout is ", idle,
                                           " s: a connector that is stopped for longer loses its "
                                           "slot, and what changed since"),
                   .hint = "ALTER SYSTEM RESET idle_replication_slot_timeout; SELECT "
                           "pg_reload_conf()"});
  }
}

void CheckKeepSize(const Result& settings, Findings* findings) {
  if (settings.is_null(0, kKeep)) return;
  const int64_t megabytes = Number(settings, kKeep, -1);
  if (megabytes < 0) {
    findings->Add({.severity = Severity::kNotice,
                   .reason = "wal_keep_unlimited",
                   .message = "max_slot_wal_keep_size is -1: a connector that stands still fills "
                              "the server's disk with WAL",
                   .hint = "watch the alert WalductRetainedWal, or ALTER SYSTEM SET "
                           "max_slot_wal_keep_size = '50GB'; SELECT pg_reload_conf(): the slot is "
                           "lost then instead"});
  } else if (megabytes < 1024) {
    findings->Add({.severity = Severity::kWarning,
                   .reason = "wal_keep_small",
                   .message = absl::StrCat("max_slot_wal_keep_size is ", megabytes,
                                           " MB: the slot is lost when the connector is behind by "
                                           "more"),
                   .hint = "ALTER SYSTEM SET max_slot_wal_keep_size = '50GB'; SELECT "
                           "pg_reload_conf()"});
  }
}

void CheckClock(const Result& settings, absl::Time before, absl::Time after, Findings* findings) {
  const absl::Time server =
      absl::FromUnixMicros(static_cast<int64_t>(Real(settings, kClock) * 1e6));
  const absl::Duration skew = server < before  ? server - before
                              : server > after ? server - after
                                               : absl::ZeroDuration();
  if (absl::AbsDuration(skew) < kMostSkew) return;
  findings->Add({.severity = Severity::kWarning,
                 .reason = "clock_skew",
                 .message = absl::StrCat(
                     "the server's clock is ",
                     absl::FormatDuration(absl::Trunc(
                         absl::AbsDuration(skew) + absl::Milliseconds(500), absl::Seconds(1))),
                     skew > absl::ZeroDuration() ? " ahead of" : " behind",
                     " this machine's: lag and ts_ms are wrong by that"),
                 .hint = "synchronise both clocks: timedatectl set-ntp true"});
}

absl::Status AddAdvice(Connection& connection, const Subject& subject,
                       const std::vector<postgres::TableName>& captured, Findings* findings) {
  ASSIGN_OR_RETURN(auto all,
                   replication::CheckPublication(connection, subject.replication, captured,
                                                 subject.publications_of_others));
  if (const std::string& signals = subject.tables.signal_table; !signals.empty()) {
    ASSIGN_OR_RETURN(
        const std::string publication,
        replication::ResolvePublicationName(connection, subject.replication.publication_name));
    ASSIGN_OR_RETURN(const auto of_signals,
                     replication::ListOnSignalTable(connection, publication, signals,
                                                    engine::CalledOf(subject.whole)));
    all.insert(all.end(), of_signals.begin(), of_signals.end());
  }
  const std::vector<Finding> before = findings->all;  // of one reason there may be several here
  for (const replication::Advice& one : all) {
    const auto same = [&one](const Finding& said) { return said.reason == one.reason; };
    if (std::any_of(before.begin(), before.end(), same)) continue;
    findings->Add({.severity = Severity::kWarning,
                   .reason = one.reason,
                   .message = absl::StrCat(one.message, " (", one.count, "): ", one.tables),
                   .hint = one.hint});
  }
  return absl::OkStatus();
}

postgres::ConnectionOptions SessionToLook(const Subject& subject, const Environment& environment,
                                          postgres::SessionKind kind) {
  postgres::ConnectionOptions session{.database = subject.database,
                                      .kind = kind,
                                      .application_name = "walduct doctor",
                                      .environment = environment};
  session.database.connect_timeout = std::min(session.database.connect_timeout, kPatience);
  session.database.query_timeout = kPatience;
  // Those that only decide who the session is, and how it looks at things.
  std::erase_if(session.database.initial_statements, [](const std::string& statement) {
    return !absl::StartsWithIgnoreCase(statement, "SET ");
  });
  return session;
}

bool StopsWithoutTables(Connection& connection, const Subject& subject) {
  const replication::ReplicationOptions& options = subject.replication;
  const auto slot = replication::InspectSlot(connection, options.slot_name);
  const auto come = replication::TakesNewTables(connection, options.publication_name);
  return slot::RefusesNoTables(options.publication_autocreate, options.allow_empty,
                               come.ok() && *come) &&
         slot.ok() && !*slot &&  // a first start
         !subject.chain.ReadsMessages();
}

// Tables that are to be cleaned, before their first event is sent.
absl::Status CheckOutbox(const Examination& examined) {
  const outbox::OutboxOptions& options = examined.subject.outbox;
  if (options.cleanup == outbox::OutboxCleanup::kNone) return absl::OkStatus();
  Connection& connection = *examined.sql;
  const names::TableFilter captured(examined.subject.tables);
  ASSIGN_OR_RETURN(const std::string publication,
                   replication::ResolvePublicationName(
                       connection, examined.subject.replication.publication_name));
  // A start puts it there.
  const bool comes = examined.subject.replication.publication_autocreate !=
                     replication::PublicationAutocreate::kDisabled;
  const outbox::TablesQuery query{&options, &captured, publication, nullptr, comes};
  const absl::Status found = outbox::FindLeaves(connection, query).status();
  const bool first = examined.position.known && !examined.position.stored;
  if (!first) return absl::OkStatus();  // housekeeping says so later
  if (!found.ok()) return found;
  const bool rows_read = examined.reads() && !examined.subject.snapshot.include_collections;
  return rows_read ? absl::OkStatus() : outbox::CheckNoHistory(connection, query);
}

}  // namespace

void NameServer(const Subject& subject, Findings* findings) {
  findings->host = subject.database.hostname;
  findings->port = subject.database.port;
  findings->database = subject.database.dbname;
}

absl::StatusOr<std::unique_ptr<Connection>> OpenAsUser(const Subject& subject,
                                                       const Environment& environment) {
  postgres::ConnectionOptions session =
      SessionToLook(subject, environment, postgres::SessionKind::kSql);
  session.keep_search_path = true;
  return Connection::Open(std::move(session));
}

absl::StatusOr<std::unique_ptr<Connection>> OpenCaptureSession(const Subject& subject,
                                                               const Environment& environment,
                                                               postgres::SessionKind kind) {
  return Connection::Open(SessionToLook(subject, environment, kind));
}

void CheckSettings(Connection& connection, const Environment& environment, Findings* findings) {
  const absl::Time before = environment.clock->Now();
  const absl::StatusOr<Result> settings = connection.Query(postgres::Rows(kRole + 1), kSettings);
  findings->Add(settings.status());
  if (!settings.ok() || settings->rows() != 1) return;
  CheckTimeouts(*settings, findings);
  CheckKeepSize(*settings, findings);
  CheckClock(*settings, before, environment.clock->Now(), findings);
  if (settings->Get(0, kEncoding) == "SQL_ASCII") {
    findings->Add({.severity = Severity::kWarning,
                   .reason = "database_without_encoding",
                   .message = "the database's encoding is SQL_ASCII: text that is not UTF-8 cannot "
                              "be published",
                   .hint = "move to a database with encoding UTF8"});
  }
  const double days = Real(*settings, kDaysValid);
  if (!settings->is_null(0, kDaysValid) && days < 14) {
    findings->Add(
        {.severity = Severity::kWarning,
         .reason = "password_expires",
         .message = absl::StrCat("the password of the role ", settings->Get(0, kRole),
                                 " expires in ", static_cast<int>(days), " days"),
         .hint = absl::StrCat("ALTER ROLE ", postgres::QuoteIdentifier(settings->Get(0, kRole)),
                              " VALID UNTIL 'infinity'")});
  }
}

void AskTables(Examination& examined) {
  if (examined.sql == nullptr) return;
  const Subject& subject = examined.subject;
  postgres::Catalog catalog(*examined.sql);
  auto found = slot::FindSlotTables({.connection = *examined.sql,
                                     .catalog = catalog,
                                     .share = subject.replication.share,
                                     .tables = subject.tables});
  examined.findings.Add(found.status());
  if (!found.ok()) return;
  examined.captured = std::move(found->own);
  examined.elsewhere = found->elsewhere;
  const std::vector<postgres::TableName>& captured = *examined.captured;
  // A slot may have no tables yet.
  if (captured.empty() && examined.elsewhere > 0) return;
  if (captured.empty()) {
    const bool stops = StopsWithoutTables(*examined.sql, subject);
    examined.findings.Add(
        {.severity = stops ? Severity::kError : Severity::kWarning,
         .reason = "no_tables_captured",
         .message =
             absl::StrCat("no table of database \"", subject.database.dbname, "\" is captured"),
         .hint = "check database.dbname, table.include.list, schema.include.list and "
                 "their .exclude. lists: entries are regular expressions over "
                 "schema.table"});
  }
  examined.findings.Add(CheckLists(*examined.sql, subject, examined.position,
                                   examined.slot && *examined.slot, &examined.findings));
  examined.findings.Add(postgres::CheckMoneyUnits(
      *examined.sql, subject.database, captured, [&](absl::string_view column) {
        return encode::IsIncluded(subject.encode.columns, column);
      }));
}

void AskTransforms(Examination& examined) {
  if (!examined.captured) return;
  postgres::Catalog catalog(*examined.sql);
  const auto preview =
      slot::PreviewChain(examined.subject.whole, *examined.sql, catalog, *examined.captured);
  examined.findings.Add(preview.status());
  if (!preview.ok()) return;
  for (const std::string& problem : preview->problems) {
    examined.findings.Add({.severity = Severity::kWarning,
                           .reason = "transform_failed",
                           .message = problem,
                           .hint = ""});
  }
}

void AskRouter(Examination& examined) {
  const auto preview = slot::PreviewOnServer(examined.subject.whole, examined.environment);
  examined.findings.Add(preview.status());
  if (!preview.ok()) return;
  for (const std::string& problem : preview->problems) {
    examined.findings.Add({.severity = Severity::kError,
                           .reason = "transform_failed",
                           .message = problem,
                           .hint = ""});
  }
}

namespace {
// What `walduct outbox init` makes publishes inserts, and no more is wanted of it.
bool CapturesOutboxAlone(const Examination& examined) {
  if (!examined.captured || examined.captured->empty()) return false;
  return std::all_of(examined.captured->begin(), examined.captured->end(),
                     [&](const postgres::TableName& table) {
                       const std::string name = absl::StrCat(table.schema, ".", table.table);
                       return name == examined.subject.tables.signal_table ||
                              examined.subject.chain.IsOutbox(name);
                     });
}
}  // namespace

void AskPublication(Examination& examined) {
  if (examined.sql == nullptr) return;
  const Subject& subject = examined.subject;
  CheckServerTraps(*examined.sql,
                   {.slot = subject.replication.slot_name,
                    .publication = subject.replication.publication_name,
                    .publishes_all = subject.replication.publication_autocreate ==
                                     replication::PublicationAutocreate::kAllTables,
                    .signal_table = subject.tables.signal_table,
                    .outbox = CapturesOutboxAlone(examined)},
                   &examined.findings);
  if (!examined.captured || (examined.captured->empty() && examined.elsewhere > 0)) return;
  CheckCapture(*examined.sql, subject, examined.position, &examined.findings);
  examined.findings.Add(
      engine::AndSlotAnew(AddAdvice(*examined.sql, subject, *examined.captured, &examined.findings),
                          examined.slot && *examined.slot));
  examined.findings.Add(CheckOutbox(examined));
  CheckKnownTables(*examined.sql, subject, examined.position, &examined.findings);
}

namespace {

bool TakesSnapshot(snapshot::SnapshotMode mode, bool position_available) {
  const auto decision = snapshot::DecideStart({.mode = mode,
                                               .offset = snapshot::OffsetState::kStreaming,
                                               .position_available = position_available,
                                               .stored_position_text = ""});
  return decision.ok() && decision->snapshot;
}

// Of the captured tables, those where one that is still to be made would be captured, too, and its
// rows read without anybody asking: the stream needs no right on it. A list of names is of these
// alone.
std::set<std::string> SchemasReadLater(const Subject& subject,
                                       const std::vector<postgres::TableName>& captured) {
  const snapshot::SnapshotMode mode = subject.snapshot.mode;
  const bool reads =
      ReadsNewTables(subject) || TakesSnapshot(mode, true) || TakesSnapshot(mode, false);
  std::set<std::string> schemas;
  if (!reads) return schemas;
  const names::TableFilter filter(subject.tables);
  for (const postgres::TableName& table : captured) {
    if (filter.Includes(table.schema, "a_table_to_come") ||
        filter.Includes(table.schema, absl::StrCat(table.table, "_1")))
      schemas.insert(table.schema);
  }
  return schemas;
}

}  // namespace

void CheckRows(Examination& examined) {
  if (!examined.captured || (examined.captured->empty() && examined.elsewhere > 0)) return;
  const Subject& subject = examined.subject;
  const std::vector<Oid> relations = postgres::RelationsOf(*examined.captured);
  CheckTableTraps(*examined.sql, relations, subject.replication.publication_name,
                  SchemasReadLater(subject, *examined.captured), &examined.findings);
  CheckNulls(*examined.sql, relations, subject.encode.columns, subject.encode.values.keep_lost,
             &examined.findings);
  postgres::Catalog catalog(*examined.sql);
  CheckKeys(*examined.sql, catalog, subject, *examined.captured, &examined.findings);
}

}  // namespace walduct::operate
