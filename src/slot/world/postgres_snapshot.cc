#include "slot/world/postgres_snapshot.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/connection_options.h"
#include "postgres/describe/catalog.h"
#include "postgres/host_checks.h"
#include "postgres/options.h"
#include "slot/world/standby/snapshot_standby.h"
#include "snapshot/options.h"
#include "snapshot/resume.h"

namespace walduct::slot {
namespace {

// A view of the database says which transactions it does not see.
constexpr int kKnowsViews = 130000;

snapshot::SnapshotRequest WithWorkers(
    snapshot::SnapshotRequest request,
    const std::vector<std::unique_ptr<postgres::Connection>>& sessions) {
  for (size_t i = 1; i < sessions.size(); ++i) request.workers.push_back(sessions[i].get());
  return request;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TableSnapshot>> PostgresSnapshot::Open(
    const Options& options, const Environment& environment, metrics::ConnectorMetrics& metrics) {
  const snapshot::SnapshotOptions& reading = *options.reading;
  Sessions sessions(1);
  ASSIGN_OR_RETURN(sessions[0], OpenSession(options, environment));
  postgres::Connection& connection = *sessions[0];
  ASSIGN_OR_RETURN(const snapshot::SnapshotOrigin origin, TakeView(options, connection));
  ASSIGN_OR_RETURN(auto plan, Plan(options, connection));
  const snapshot::SplitOptions split = {.sessions = reading.threads,
                                        .whole_tables = reading.whole_tables,
                                        .small = options.record != nullptr};
  uint64_t since = 0;
  if (options.record != nullptr && connection.server_version() >= kKnowsViews) {
    ASSIGN_OR_RETURN(since, snapshot::ReadOldestRunning(connection));
  }
  RETURN_IF_ERROR(
      OpenWorkers(options, environment, snapshot::SplitTables(plan, split).size(), &sessions));
  log::Info("snapshot started", {{"tables", plan.size()},
                                 {"lsn", origin.consistent_point.ToString()},
                                 {"sessions", sessions.size()}});
  return std::unique_ptr<TableSnapshot>(new PostgresSnapshot(std::move(sessions),
                                                             *environment.clock, metrics,
                                                             {.tables = std::move(plan),
                                                              .origin = origin,
                                                              .split = split,
                                                              .record = options.record,
                                                              .view_since = since,
                                                              .lock_timeout = reading.lock_timeout,
                                                              .explain_lock = options.explain_lock},
                                                             options.standby != nullptr));
}

absl::StatusOr<snapshot::SnapshotOrigin> PostgresSnapshot::TakeView(
    const Options& options, postgres::Connection& connection) {
  SnapshotStandby* const standby = options.standby;
  Lsn shown = options.start;
  if (standby != nullptr) {
    ASSIGN_OR_RETURN(shown, standby->CheckReader(connection));
  }
  ASSIGN_OR_RETURN(
      snapshot::SnapshotOrigin origin,
      snapshot::BeginOnSnapshot(connection, {.snapshot_name = options.exported_snapshot,
                                             .lock_timeout = options.reading->lock_timeout}));
  // An exported view is that of the slot's beginning.
  origin.seen = options.start;
  if (standby != nullptr) {
    ASSIGN_OR_RETURN(origin.seen, standby->CheckView(connection));
    log::Info("the rows are read from a standby",
              {{"standby", postgres::HostAndPort(connection.host(), connection.port())},
               {"replayed", shown.ToString()}});
  } else if (options.exported_snapshot.empty()) {
    ASSIGN_OR_RETURN(origin.seen, snapshot::ReadCurrentLsn(connection));
    shown = origin.seen;
  }
  origin.consistent_point = options.start.valid() ? options.start : shown;
  return origin;
}

absl::StatusOr<std::vector<snapshot::PlannedTable>> PostgresSnapshot::Plan(
    const Options& options, postgres::Connection& connection) {
  const snapshot::SnapshotOptions& reading = *options.reading;
  if (reading.lock_tables) RETURN_IF_ERROR(snapshot::LockTables(connection, options.tables));
  if (options.record != nullptr) {
    RETURN_IF_ERROR(
        snapshot::LockTables(connection, snapshot::PartlyRead(options.tables, *options.record)));
  }
  postgres::Catalog catalog(connection, options.schemas);
  ASSIGN_OR_RETURN(auto plan, snapshot::PlanSnapshot(connection, catalog, options.tables, reading,
                                                     options.wanted));
  if (options.record != nullptr) snapshot::TakeUp(*options.record, &plan);
  RETURN_IF_ERROR(options.check(connection, plan));
  return plan;
}

absl::StatusOr<std::unique_ptr<postgres::Connection>> PostgresSnapshot::OpenSession(
    const Options& options, const Environment& environment) {
  return postgres::Connection::Open(
      {.database = *options.database,
       .kind = postgres::SessionKind::kSql,
       .application_name = "walduct " + options.connector + " snapshot",
       .keep_search_path = !options.reading->select_overrides.empty(),
       .stopping = options.stopping,
       .environment = environment});
}

// A server that has no room for all of them is read by those that it has room for.
absl::Status PostgresSnapshot::OpenWorkers(const Options& options, const Environment& environment,
                                           size_t parts, Sessions* sessions) {
  const snapshot::SnapshotOptions& reading = *options.reading;
  const size_t wanted = std::min(reading.threads, parts);
  if (wanted < 2) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string view, snapshot::ExportView(*sessions->front()));
  while (sessions->size() < wanted) {
    absl::StatusOr<std::unique_ptr<postgres::Connection>> worker =
        OpenSession(options, environment);
    if (!worker.ok()) {
      log::Warn("the snapshot is read by fewer sessions than snapshot.max.threads",
                {{"sessions", sessions->size()},
                 {"error", std::string(worker.status().message())},
                 {"hint", ErrorHint(worker.status())}});
      return absl::OkStatus();
    }
    if (options.standby != nullptr) RETURN_IF_ERROR(options.standby->CheckWorker(**worker));
    RETURN_IF_ERROR(snapshot::JoinView(
        **worker, {.snapshot_name = view, .lock_timeout = reading.lock_timeout}));
    sessions->push_back(*std::move(worker));
  }
  return absl::OkStatus();
}

PostgresSnapshot::PostgresSnapshot(Sessions sessions, Clock& clock,
                                   metrics::ConnectorMetrics& metrics,
                                   snapshot::SnapshotRequest request, bool of_standby)
    : sessions_(std::move(sessions)),
      origin_(request.origin),
      reader_(*sessions_[0], clock, metrics, WithWorkers(std::move(request), sessions_)),
      of_standby_(of_standby) {}

absl::StatusOr<PostgresSnapshot::Progress> PostgresSnapshot::Step(event::ChangeHandler& handler,
                                                                  int max_rows) {
  absl::StatusOr<Progress> step = reader_.Step(handler, max_rows);
  if (!step.ok() && of_standby_) return ExplainRead(step.status());
  return step;
}

absl::Status PostgresSnapshot::End() {
  for (size_t i = sessions_.size(); i-- > 0;) {
    RETURN_IF_ERROR(snapshot::EndSnapshot(*sessions_[i]));
  }
  return absl::OkStatus();
}

}  // namespace walduct::slot
