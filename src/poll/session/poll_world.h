// PollWorld: what a polling session reaches outside of itself: the database, the sink, the store
// of positions. Connectors share one; the simulation has its own.
//
// Thread-safety: any thread. What it opens belongs to the thread that asked.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/environment.h"
#include "offset/offset_store.h"
#include "poll/layouts/outbox_table.h"
#include "postgres/connection.h"
#include "sink/sink.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine
namespace walduct::sink {
class Refusals;
}

namespace walduct::poll {

// postgres::Connection, as far as it is asked here: one statement at a time, never waiting.
class TableSession {
 public:
  virtual ~TableSession() = default;

  virtual absl::Status Send(const postgres::Statement& statement) = 0;
  virtual absl::StatusOr<std::optional<postgres::Result>> PollResult() = 0;
  virtual int ready_fd() const = 0;
  virtual void Cancel() = 0;
  virtual absl::Status CheckAlive() = 0;
  // A pooler hands each of its transactions to a session of the server that is free.
  virtual bool shared() const = 0;
  // Takes what it has been notified of; true: of something.
  virtual bool TakeNotifications() = 0;
  // The one that may wait.
  virtual absl::Status Set(absl::string_view name, absl::string_view value) = 0;
};

struct TableSessions {
  std::unique_ptr<TableSession> session, owner;  // as OpenedTables has them
  std::vector<OutboxTable> tables = {};
};

class PollWorld {
 public:
  virtual ~PollWorld() = default;

  // As OpenTables.
  virtual absl::StatusOr<TableSessions> OpenSessions(const engine::ConnectorOptions& config,
                                                     const Environment& environment,
                                                     const postgres::StopCheck& stopping) = 0;
  // Both as their rooms open them, from the configuration.
  virtual absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(
      const engine::ConnectorOptions& config, const Environment& environment,
      sink::Refusals* refusals) = 0;
  virtual absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config, const Environment& environment) = 0;

  // Servers. Has no state.
  static PollWorld& Real();
};

}  // namespace walduct::poll
