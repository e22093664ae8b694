// The standby that the initial snapshot is read from. Declared in doctor/checks.h.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operate/doctor/checks.h"
#include "postgres/connection_options.h"
#include "postgres/host_checks.h"
#include "postgres/options.h"
#include "replication/slot.h"
#include "slot/world/standby/snapshot_standby.h"
#include "snapshot/options.h"
#include "snapshot/transaction.h"

namespace walduct::operate {
namespace {

using postgres::Connection;

constexpr absl::string_view kConflicts = R"(
SELECT pg_catalog.current_setting('hot_standby_feedback'),
       (SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'max_standby_streaming_delay'))";

// Whether tables are still to be read.
bool ReadsTables(const Subject& subject, const KnownPosition& position) {
  using snapshot::SnapshotMode;
  const SnapshotMode mode = subject.snapshot.mode;
  if (mode == SnapshotMode::kAlways || mode == SnapshotMode::kAlwaysOnly) return true;
  return !position.stored || position.stored->position.snapshot == event::SnapshotPhase::kRunning;
}

postgres::ConnectionOptions SessionOf(const Subject& subject, const Environment& environment) {
  postgres::ConnectionOptions session{
      .database = slot::StandbyDatabase(subject.database, subject.snapshot.standby_hostname,
                                        subject.snapshot.standby_port),
      .application_name = "walduct doctor",
      .environment = environment};
  session.database.connect_timeout = std::min(session.database.connect_timeout, kPatience);
  session.database.query_timeout = kPatience;
  session.database.initial_statements.clear();
  return session;
}

absl::Status CheckConflicts(const postgres::ConnectionOptions& session, Findings* findings) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Connection> standby, Connection::Open(session));
  ASSIGN_OR_RETURN(const postgres::Result settings,
                   standby->Query(postgres::OneRow(2), kConflicts));
  if (settings.Get(0, 0) == "on" || settings.Get(0, 1) == "-1") return absl::OkStatus();
  findings->Add({.severity = Severity::kWarning,
                 .reason = "standby_ends_queries",
                 .message = absl::StrCat("the standby ends a query that holds up its replay for ",
                                         settings.Get(0, 1), " ms: the read of a large table"),
                 .hint = "on the standby: ALTER SYSTEM SET hot_standby_feedback = on; SELECT "
                         "pg_reload_conf(); and set walduct.snapshot.resume=true"});
  return absl::OkStatus();
}

absl::Status Check(Connection& server, const Subject& subject, const Environment& environment,
                   Findings* findings) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Connection> walsender,
                   OpenCaptureSession(subject, environment, postgres::SessionKind::kReplication));
  ASSIGN_OR_RETURN(const replication::SystemIdentity system,
                   replication::IdentifySystem(*walsender));
  postgres::ConnectionOptions session = SessionOf(subject, environment);
  ASSIGN_OR_RETURN(
      const std::unique_ptr<slot::SnapshotStandby> standby,
      slot::SnapshotStandby::Open({.session = session, .primary = system, .primary_lsn = [&server] {
                                     return snapshot::ReadCurrentLsn(server);
                                   }}));
  session.database = standby->database();
  findings->asked.push_back(
      absl::StrCat("the standby of snapshots at ",
                   postgres::HostAndPort(session.database.hostname, session.database.port)));
  return CheckConflicts(session, findings);
}

}  // namespace

void AskStandby(Examination& examined) {
  const Subject& subject = examined.subject;
  if (!subject.snapshot.reads_standby() || !ReadsTables(subject, examined.position)) return;
  examined.findings.Add(Check(*examined.sql, subject, examined.environment, &examined.findings));
}

}  // namespace walduct::operate
