#include "operate/commands/running_reader.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/options_of.h"
#include "poll/session/poll_locks.h"
#include "replication/session_names.h"

namespace walduct::operate {
namespace {

absl::Status Running(absl::string_view what) {
  return Error(absl::StatusCode::kFailedPrecondition, "connector_running",
               absl::StrCat(what, ": a running connector would overwrite what is stored now"),
               "stop the connector first");
}

// The server's process of a session of this connector that has the locks; empty: there is none.
absl::StatusOr<std::string> PollerOf(postgres::Connection& sql, const std::string& connector) {
  ASSIGN_OR_RETURN(
      const postgres::Result holders,
      sql.Query(postgres::Rows(2),
                absl::StrCat("SELECT l.pid, a.application_name FROM pg_catalog.pg_locks l "
                             "JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid "
                             "WHERE l.locktype = 'advisory' AND l.granted AND l.database = "
                             "(SELECT d.oid FROM pg_catalog.pg_database d "
                             "WHERE d.datname = pg_catalog.current_database()) "
                             "AND l.classid::pg_catalog.int8 BETWEEN ",
                             poll::kLockClass, " AND ", poll::kLastClass)));
  for (int row = 0; row < holders.rows(); ++row) {
    for (const absl::string_view what : {" poll", " poll owner"})
      if (replication::SameSession(replication::SessionName(connector, what), holders.Get(row, 1)))
        return std::string(holders.Get(row, 0));
  }
  return std::string();
}

}  // namespace

absl::Status CheckNotRunning(postgres::Connection& sql, const engine::ConnectorOptions& options,
                             const std::optional<replication::SlotState>& slot) {
  if (slot && slot->active)
    return Running(absl::StrCat("replication slot ", engine::NamesOf(options).slot,
                                " is in use by process ", slot->active_pid));
  if (engine::ReadsSlot(options)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string poller, PollerOf(sql, engine::NameOf(options)));
  if (poller.empty()) return absl::OkStatus();
  return Running(absl::StrCat("its outbox tables are polled by process ", poller));
}

}  // namespace walduct::operate
