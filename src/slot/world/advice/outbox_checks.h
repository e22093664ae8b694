// OutboxChecks: what walduct.outbox.cleanup requires of the database before the first change, so
// that no row is deleted before its event was published. Does nothing when cleanup is none. Data
// thread only.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/environment.h"
#include "metrics/connector_metrics.h"
#include "outbox/cleanup_thread.h"
#include "outbox/tables.h"
#include "postgres/connection.h"

namespace walduct::names {
class TableFilter;
}  // namespace walduct::names

namespace walduct::slot {

class OutboxChecks {
 public:
  // Pointers are borrowed.
  struct Parts {
    std::string connector;
    const outbox::OutboxOptions* options = nullptr;
    const postgres::DatabaseOptions* database = nullptr;  // the server
    const names::TableFilter* captured = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    outbox::TableMemory* memory = nullptr;
    Environment environment;
  };
  explicit OutboxChecks(Parts parts) : parts_(std::move(parts)) {}

  bool enabled() const;

  // Before the publication is touched: remembers whether it had the tables already.
  absl::Status BeforePublication(postgres::Connection& sql, const std::string& publication);
  // When the publication is as it will be. first_start: no position is stored; a table that cannot
  // be cleaned is then an error, later only a log line. rows_read: a snapshot reads the rows the
  // tables hold.
  absl::Status AfterPublication(postgres::Connection& sql, bool first_start, bool rows_read);
  // On a session that sees what a new slot's exported snapshot shows: exactly the rows the stream
  // will not bring.
  absl::Status CheckNoHistory(postgres::Connection& on_snapshot);

  // Null when cleanup is none.
  std::unique_ptr<outbox::CleanupThread> StartCleanup();

 private:
  outbox::TablesQuery Query() const;

  Parts parts_;
  std::string publication_;
  outbox::ServerMark server_;
  bool newly_published_ = false;
};

}  // namespace walduct::slot
