// What the role may not do that a connector does. Declared in doctor/checks.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "engine/configuration/heartbeat_options.h"
#include "incremental/chunks/signal_rights.h"
#include "incremental/options/incremental_options.h"
#include "operate/doctor/checks.h"
#include "postgres/denied_object.h"
#include "postgres/errors/sqlstate.h"
#include "postgres/options.h"
#include "postgres/server_check.h"
#include "slot/world/reads/record_columns.h"
#include "slot/world/reads/snapshot_rights.h"
#include "snapshot/options.h"
#include "snapshot/plan.h"

namespace walduct::operate {
namespace {

using postgres::Connection;

// What is not read needs no right; what signals may ask for is no start's affair.
void CheckReads(Examination& examined) {
  using snapshot::SnapshotMode;
  const Subject& subject = examined.subject;
  const SnapshotMode mode = subject.snapshot.mode;
  const bool reads = mode != SnapshotMode::kNoData && mode != SnapshotMode::kNever &&
                     mode != SnapshotMode::kNothing;
  if (!reads && !subject.incremental.signals()) return;
  const absl::Status readable = slot::CheckSnapshotRights(
      {.connection = *examined.sql,
       .open = [&] { return OpenAsUser(subject, examined.environment); },
       .tables = snapshot::SelectTables(*examined.captured, subject.snapshot, subject.tables),
       .reading = subject.snapshot,
       .wanted = slot::RecordColumns(subject.columns, subject.message_keys)});
  examined.findings.Add(readable,
                        reads && examined.reads() ? Severity::kError : Severity::kWarning);
}

absl::Status CheckSignals(Connection& connection, const Subject& subject) {
  const incremental::IncrementalOptions& options = subject.incremental;
  if (options.signal_table.empty() || options.read_only) return absl::OkStatus();
  return incremental::CheckSignalRights(connection, options.signal_schema, options.signal_table,
                                        options.deletes_watermarks);
}

// Planned, and not run: the server looks at tables and rights all the same.
absl::Status Plan(const Examination& examined, const std::string& sql, absl::string_view property) {
  const std::string word = absl::StrCat(*absl::StrSplit(sql, absl::ByAnyChar(" \t\n(")).begin());
  bool known = false;
  for (const char* const one : {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH"})
    known = known || absl::EqualsIgnoreCase(word, one);
  if (!known || absl::StrContains(sql, ';')) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto connection, OpenAsUser(examined.subject, examined.environment));
  const absl::Status planned = connection->Run(absl::StrCat("EXPLAIN ", sql));
  const absl::Status named = postgres::NameDenied(*connection, sql, planned);
  return WithContext(postgres::OfStatement(named, property), property);
}

}  // namespace

void AskRights(Examination& examined) {
  if (examined.captured && (!examined.captured->empty() || examined.elsewhere == 0))
    CheckReads(examined);
  if (examined.sql == nullptr) return;
  AskStandby(examined);
  if (examined.slot && !*examined.slot)
    examined.findings.Add(postgres::CheckFreeSlot(*examined.sql));
}

void CheckStatements(Examination& examined) {
  examined.findings.Add(CheckSignals(*examined.sql, examined.subject), Severity::kWarning);
  examined.findings.Add(
      Plan(examined, examined.subject.heartbeat.action_query, "heartbeat.action.query"),
      Severity::kWarning);
  for (const std::string& statement : examined.subject.database.initial_statements)
    examined.findings.Add(Plan(examined, statement, "database.initial.statements"));
}

}  // namespace walduct::operate
