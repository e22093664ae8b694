// What the role may not do that a connector does. Declared in checks.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/doctor/checks.h"
#include "engine/world/reads/record_columns.h"
#include "engine/world/reads/snapshot_rights.h"
#include "incremental/chunks/signal_rights.h"
#include "incremental/options/incremental_options.h"
#include "snapshot/options.h"
#include "snapshot/plan.h"

namespace walduct::engine {
namespace {

using postgres::Connection;

// What is not read needs no right; what signals may ask for is no start's affair.
void CheckReads(Connection& connection, const Subject& subject, const Environment& environment,
                const std::vector<postgres::TableName>& captured, Findings* findings) {
  using snapshot::SnapshotMode;
  const SnapshotMode mode = subject.snapshot.mode;
  const bool reads = mode != SnapshotMode::kNoData && mode != SnapshotMode::kNever &&
                     mode != SnapshotMode::kNothing;
  if (!reads && !subject.incremental.signals()) return;
  const absl::Status readable = CheckSnapshotRights(
      {.connection = connection,
       .open = [&] { return OpenAsUser(subject, environment); },
       .tables = snapshot::SelectTables(captured, subject.snapshot, subject.tables),
       .reading = subject.snapshot,
       .wanted = RecordColumns(subject.columns, subject.message_keys)});
  findings->Add(readable, reads ? Severity::kError : Severity::kWarning);
}

absl::Status CheckSignals(Connection& connection, const Subject& subject) {
  const incremental::IncrementalOptions& options = subject.incremental;
  if (options.signal_table.empty() || options.read_only) return absl::OkStatus();
  return incremental::CheckSignalRights(connection, options.signal_schema, options.signal_table,
                                        options.deletes_watermarks);
}

// Planned, and not run: the server looks at tables and rights all the same.
absl::Status CheckHeartbeatAction(const Subject& subject, const Environment& environment) {
  const std::string& sql = subject.heartbeat.action_query;
  const std::string word = absl::StrCat(*absl::StrSplit(sql, absl::ByAnyChar(" \t\n(")).begin());
  bool known = false;
  for (const char* const one : {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH"})
    known = known || absl::EqualsIgnoreCase(word, one);
  if (!known || absl::StrContains(sql, ';')) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto connection, OpenAsUser(subject, environment));
  return WithContext(connection->Run(absl::StrCat("EXPLAIN ", sql)), "heartbeat.action.query");
}

}  // namespace

void CheckRights(Connection& connection, const Subject& subject, const Environment& environment,
                 const std::vector<postgres::TableName>& captured, Findings* findings) {
  CheckReads(connection, subject, environment, captured, findings);
  findings->Add(CheckSignals(connection, subject), Severity::kWarning);
  findings->Add(CheckHeartbeatAction(subject, environment), Severity::kWarning);
}

}  // namespace walduct::engine
