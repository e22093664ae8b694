// ReadView: the tables to be read, in one view of the database, and what is known of them before a
// row is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "event/table_schema.h"
#include "metrics/connector_metrics.h"
#include "postgres/connection.h"
#include "recover/read/report.h"
#include "slot/world/source.h"

namespace walduct::slot {
class ServerWorld;
struct ReadParts;
}  // namespace walduct::slot

namespace walduct::recover {

struct ReadTable {
  event::TableSchemaPtr schema;
  std::string name;   // "schema.table"
  std::string topic;  // of its rows, as far as it is known without one
};

struct ReadView {
  std::unique_ptr<slot::TableSnapshot> rows;
  std::vector<ReadTable> tables;
  // Topics of tables that are not read: keys without a row may be theirs.
  std::vector<std::string> others;
  std::vector<std::string> unread;  // captured tables that are not compared
  Lsn at;
  // The oldest transaction that the view does not show whole; absent: not known.
  std::optional<uint32_t> oldest;
};

struct ViewOptions {
  // Borrowed, as all.
  slot::ServerWorld* world = nullptr;
  const slot::ReadParts* parts = nullptr;
  std::string tables;  // regular expressions; empty: all
  // Exactly what was committed before `at`, by a slot that ends at once. Else about so.
  bool exact = false;
  metrics::ConnectorMetrics* metrics = nullptr;
  postgres::StopCheck stopping;
};
//   FailedPrecondition recover_read_nothing: none of the tables can be compared
absl::StatusOr<ReadView> OpenView(const ViewOptions& options, ReadReport* report);

}  // namespace walduct::recover
