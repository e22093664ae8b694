#include "engine/world/postgres_snapshot.h"

#include <utility>

#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "postgres/catalog.h"
#include "postgres/connection_options.h"
#include "postgres/options.h"
#include "snapshot/options.h"

namespace walduct::engine {

absl::StatusOr<std::unique_ptr<TableSnapshot>> PostgresSnapshot::Open(
    const Options& options, const Environment& environment, metrics::ConnectorMetrics& metrics) {
  const ConnectorOptions& config = *options.config;
  ASSIGN_OR_RETURN(
      auto connection,
      postgres::Connection::Open({.database = *options.database,
                                  .kind = postgres::SessionKind::kSql,
                                  .application_name = "walduct " + config.name + " snapshot",
                                  .keep_search_path = !config.snapshot->select_overrides.empty(),
                                  .stopping = options.stopping,
                                  .environment = environment}));
  ASSIGN_OR_RETURN(
      snapshot::SnapshotOrigin origin,
      snapshot::BeginOnSnapshot(*connection, {.snapshot_name = options.exported_snapshot,
                                              .lock_timeout = config.snapshot->lock_timeout}));
  // An exported view is that of the slot's beginning.
  origin.seen = options.start;
  if (options.exported_snapshot.empty()) {
    ASSIGN_OR_RETURN(origin.seen, snapshot::ReadCurrentLsn(*connection));
  }
  origin.consistent_point = options.start.valid() ? options.start : origin.seen;
  if (config.snapshot->lock_tables)
    RETURN_IF_ERROR(snapshot::LockTables(*connection, options.tables));
  postgres::Catalog catalog(*connection);
  ASSIGN_OR_RETURN(auto plan,
                   snapshot::PlanSnapshot(*connection, catalog, options.tables, *config.snapshot));
  RETURN_IF_ERROR(options.check(*connection, plan));
  log::Info("snapshot started",
            {{"tables", plan.size()}, {"lsn", origin.consistent_point.ToString()}});
  return std::unique_ptr<TableSnapshot>(
      new PostgresSnapshot(std::move(connection), *environment.clock, metrics,
                           {.tables = std::move(plan), .origin = origin}));
}

PostgresSnapshot::PostgresSnapshot(std::unique_ptr<postgres::Connection> connection, Clock& clock,
                                   metrics::ConnectorMetrics& metrics,
                                   snapshot::SnapshotRequest request)
    : connection_(std::move(connection)),
      origin_(request.origin),
      reader_(*connection_, clock, metrics, std::move(request)) {}

}  // namespace walduct::engine
