// May a snapshot read all that it is going to read? Asked before anything is made on the server.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "event/wanted_columns.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::snapshot {
struct SnapshotOptions;
}

namespace walduct::slot {

struct SnapshotRights {
  postgres::Connection& connection;
  // For statements of snapshot.select.statement.overrides: with the role's own search_path.
  std::function<absl::StatusOr<std::unique_ptr<postgres::Connection>>()> open;
  const std::vector<postgres::TableName>& tables;  // of the snapshot
  const snapshot::SnapshotOptions& reading;
  const event::WantedColumns& wanted;
};

// PermissionDenied with the GRANTs; of an override and of a table with foreign partitions what the
// statement itself ends with when it gives no row. Waits for no lock: who reads waits for it.
absl::Status CheckSnapshotRights(const SnapshotRights& asked);

}  // namespace walduct::slot
