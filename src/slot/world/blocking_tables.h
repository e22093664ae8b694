// The tables of a blocking snapshot: read by COPY on a connection of their own, in one view of the
// database. Data thread only.
#pragma once

#include <functional>
#include <vector>

#include "event/wanted_columns.h"
#include "incremental/chunks/held_commits.h"
#include "metrics/connector_metrics.h"
#include "names/table_filter.h"
#include "postgres/connection_options.h"
#include "slot/world/source.h"

namespace walduct::slot {

struct BlockingTablesOptions {
  const incremental::BlockingSnapshot* asked = nullptr;  // borrowed for the call
  postgres::ConnectionOptions connection;
  const std::vector<postgres::TableName>* captured = nullptr;  // the same; at the start
  const names::TableFilter* filter = nullptr;                  // the same; of those made since
  incremental::HeldCommits* held = nullptr;                    // the same, from view to view
  event::WantedColumns wanted;
  absl::Duration lock_timeout;
  // See snapshot::SnapshotRequest.
  std::function<absl::Status(const absl::Status& error)> explain_lock = {};
  Clock* clock = nullptr;                        // borrowed
  metrics::ConnectorMetrics* metrics = nullptr;  // borrowed
  postgres::SchemaMemory* schemas = nullptr;     // borrowed; learns what is read
};
absl::StatusOr<Source::Blocking> OpenBlockingTables(BlockingTablesOptions options);

}  // namespace walduct::slot
