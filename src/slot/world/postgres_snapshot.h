// PostgresSnapshot: the tables of a snapshot read by COPY on a connection of their own, inside one
// transaction. The real TableSnapshot. Data thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "event/wanted_columns.h"
#include "metrics/connector_metrics.h"
#include "postgres/connection.h"
#include "slot/world/source.h"
#include "snapshot/snapshot_reader.h"
#include "snapshot/transaction.h"

namespace walduct::slot {

class SnapshotStandby;

// Asked about each planned table before the first row is read, on the snapshot's connection.
using PlanCheck = std::function<absl::Status(postgres::Connection& connection,
                                             const std::vector<snapshot::PlannedTable>& plan)>;

class PostgresSnapshot final : public TableSnapshot {
 public:
  struct Options {
    std::string connector;
    const snapshot::SnapshotOptions* reading = nullptr;   // borrowed
    const postgres::DatabaseOptions* database = nullptr;  // borrowed; the server that is read
    SnapshotStandby* standby = nullptr;  // borrowed for Open; null: it is the server of the stream
    std::vector<postgres::TableName> tables;
    std::string exported_snapshot;  // of the slot's creation; empty: a view of its own
    Lsn start;                      // 0/0: where the view is
    event::WantedColumns wanted;
    PlanCheck check;
    snapshot::ReadRecord* record = nullptr;     // borrowed; null: nothing is gone on from
    postgres::SchemaMemory* schemas = nullptr;  // borrowed; learns what is read
    // See snapshot::SnapshotRequest.
    std::function<absl::Status(const absl::Status& error)> explain_lock = {};
    postgres::StopCheck stopping;
  };
  // metrics are borrowed. Logs "snapshot started".
  static absl::StatusOr<std::unique_ptr<TableSnapshot>> Open(const Options& options,
                                                             const Environment& environment,
                                                             metrics::ConnectorMetrics& metrics);

  const snapshot::SnapshotOrigin& origin() const override { return origin_; }
  absl::StatusOr<Progress> Step(event::ChangeHandler& handler, int max_rows) override;
  void SetListener(snapshot::TableListener* listener) override { reader_.SetListener(listener); }
  int ready_fd() const override { return reader_.ready_fd(); }
  absl::Status End() override;

 private:
  using Sessions = std::vector<std::unique_ptr<postgres::Connection>>;
  PostgresSnapshot(Sessions sessions, Clock& clock, metrics::ConnectorMetrics& metrics,
                   snapshot::SnapshotRequest request, bool of_standby);
  static absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenSession(
      const Options& options, const Environment& environment);
  static absl::Status OpenWorkers(const Options& options, const Environment& environment,
                                  size_t parts, Sessions* sessions);

  static absl::StatusOr<snapshot::SnapshotOrigin> TakeView(const Options& options,
                                                           postgres::Connection& connection);
  static absl::StatusOr<std::vector<snapshot::PlannedTable>> Plan(const Options& options,
                                                                  postgres::Connection& connection);

  const Sessions sessions_;  // all on one view of the database, which is the first one's
  const snapshot::SnapshotOrigin origin_;
  snapshot::SnapshotReader reader_;
  const bool of_standby_;
};

}  // namespace walduct::slot
