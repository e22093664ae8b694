#include "poll/session/open_tables.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "names/table_filter.h"
#include "outbox/options.h"
#include "postgres/open_session.h"
#include "postgres/sender_timeout.h"

namespace walduct::poll {
namespace {

// A client's machine that vanished is noticed within a minute, not after the two hours that are
// usual: its session has the locks that say who polls.
constexpr absl::string_view kNoticeLoss = R"(
SELECT pg_catalog.set_config('tcp_keepalives_idle', '15', false),
  pg_catalog.set_config('tcp_keepalives_interval', '5', false),
  pg_catalog.set_config('tcp_keepalives_count', '4', false))";

// Where statistics say that few rows are open, the planner would read all that are, and sort them,
// for each claim: a bitmap has no order. An index that has one is read as far as the claim goes.
constexpr absl::string_view kInOrder =
    "SELECT pg_catalog.set_config('enable_bitmapscan', 'off', false)";

}  // namespace

absl::StatusOr<OpenedTables> OpenTables(const engine::ConnectorOptions& config,
                                        const Environment& environment,
                                        const postgres::StopCheck& stopping,
                                        absl::string_view purpose) {
  OpenedTables opened;
  const auto open = [&](absl::string_view of) {
    return postgres::OpenSession(engine::DatabaseOf(config),
                                 absl::StrCat("walduct ", engine::NameOf(config), " ", of),
                                 environment, postgres::SessionKind::kSql, stopping);
  };
  ASSIGN_OR_RETURN(opened.connection, open(purpose));
  postgres::Connection& connection = *opened.connection;
  ASSIGN_OR_RETURN(const auto standby,
                   connection.Query(postgres::OneRow(1), "SELECT pg_is_in_recovery()"));
  if (standby.Get(0, 0) == "t")
    return Error(absl::StatusCode::kFailedPrecondition, "poll_standby",
                 "the server is a standby: rows cannot be marked there",
                 "set database.hostname to the primary");
  // Of a pooler's session the locks would be there for its next client. Before idle_session_timeout
  // the server ends a session that has become silent only in a transaction.
  constexpr int kIdleSessionTimeout = 140000;
  const bool bounded = postgres::AskedSenderTimeout() > absl::ZeroDuration();
  if (connection.shared() || (bounded && connection.server_version() < kIdleSessionTimeout)) {
    ASSIGN_OR_RETURN(opened.owner, open(absl::StrCat(purpose, " owner")));
  } else {
    RETURN_IF_ERROR(connection.Query(postgres::OneRow(3), kNoticeLoss).status());
  }
  if (!connection.shared())
    RETURN_IF_ERROR(connection.Query(postgres::OneRow(1), kInOrder).status());
  ASSIGN_OR_RETURN(opened.tables, FindOutboxTables(connection, engine::TablesOf(config),
                                                   engine::OutboxOf(config)));
  return opened;
}

}  // namespace walduct::poll
