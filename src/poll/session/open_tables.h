// The session that outbox tables are polled with, and the tables.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/environment.h"
#include "poll/layouts/outbox_table.h"
#include "postgres/connection.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::poll {

struct OpenedTables {
  std::unique_ptr<postgres::Connection> connection;
  // Where a pooler shares the former, or the server cannot end it once it is silent: one that has a
  // session of the server to itself as long as a transaction is open in it. Null: connection is
  // one.
  std::unique_ptr<postgres::Connection> owner;
  std::vector<OutboxTable> tables;
};

// Changes nothing. purpose: by which the server knows the session, behind the connector's name.
// FailedPrecondition: those of FindOutboxTables, and
//   poll_standby  the server is one
absl::StatusOr<OpenedTables> OpenTables(const engine::ConnectorOptions& config,
                                        const Environment& environment,
                                        const postgres::StopCheck& stopping,
                                        absl::string_view purpose = "poll");

}  // namespace walduct::poll
