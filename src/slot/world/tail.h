// `tail`: a look at a connector's tables that nobody notices.
//
// What `walduct tail` changes in a configuration, so that it can run beside the connector it looks
// at and leaves nothing behind: its own temporary slot, the terminal as sink, no stored offset, and
// a publication of its own where the configured one does not exist. `walduct record` looks in the
// same way.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::replication {
struct ReplicationOptions;
}  // namespace walduct::replication

namespace walduct::postgres {
struct ConnectionOptions;
}

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::slot {

struct TailView {
  bool snapshot = false;  // as snapshot.mode says; else only what changes from now on
  bool full = false;      // all of each record, not a line
  bool eyes = false;      // a line for eyes: decimals, bytes and times as what they are
  std::function<void()> reader_left = nullptr;  // as of sink::StdoutSinkOptions
};
engine::ConnectorOptions TailConfig(engine::ConnectorOptions config, const TailView& view);
// Of `demo`: a slot that ends with its session, so that none is left behind whatever happens to the
// process, and a position that nobody keeps.
engine::ConnectorOptions DemoConfig(engine::ConnectorOptions config);
// Of `record`, whose messages are those that the assembler gets, whatever way they come.
engine::ConnectorOptions RecordConfig(engine::ConnectorOptions config);

// Of `recover run`: the connector with a restored server in place of its own. Nothing is written
// there, no snapshot is taken, signals are refused.
struct RestoredPlace {
  std::string host, port;
  std::string sslmode;  // empty: the connector's
};
engine::ConnectorOptions RestoredConfig(engine::ConnectorOptions config,
                                        const RestoredPlace& place);
// Of the same, before that: a slot that is lost is held, whatever else is configured.
engine::ConnectorOptions HoldConfig(engine::ConnectorOptions config);
// Of `recover read`: the tables are read beside the stream, whole, and nothing else happens.
engine::ConnectorOptions ReadConfig(engine::ConnectorOptions config);
// OK; InvalidArgument: why a connector has no gap that could be read.
absl::Status CheckHasGap(const engine::ConnectorOptions& config);
// The same of what it has published.
absl::Status CheckReadsBack(const engine::ConnectorOptions& config);

// The publications to read through: the configured one where it exists, else two of its own. One is
// of inserts alone, which no table can refuse; the other of updates and deletes, of the tables that
// have a replica identity: so no application's write fails for it.
//
// They are dropped at the end, and also when there is no end: a session of its own, the guard, runs
// a statement on the server that waits for ours to go, and drops them then, though the process was
// killed. What even that leaves behind (a server that was stopped meanwhile) is dropped by the next
// one. connection is borrowed for the object's life.
class TailPublication {
 public:
  static absl::StatusOr<std::unique_ptr<TailPublication>> Ensure(
      postgres::Connection& connection, const postgres::ConnectionOptions& guard,
      const replication::ReplicationOptions& options,
      const std::vector<postgres::TableName>& captured);
  ~TailPublication();
  TailPublication(const TailPublication&) = delete;
  TailPublication& operator=(const TailPublication&) = delete;

  // At least one.
  const std::vector<std::string>& names() const { return names_; }

 private:
  explicit TailPublication(postgres::Connection& connection) : connection_(connection) {}
  absl::Status Create(const postgres::ConnectionOptions& guard,
                      const replication::ReplicationOptions& options,
                      const std::vector<postgres::TableName>& captured);
  absl::Status OpenOwner(const postgres::ConnectionOptions& guard);
  absl::Status StartGuard(postgres::ConnectionOptions options, const std::string& body);

  postgres::Connection& connection_;
  std::vector<std::string> names_;
  bool created_ = false;
  std::unique_ptr<postgres::Connection> owner_;  // has the locks where connection is shared
  std::unique_ptr<postgres::Connection> guard_;  // runs its statement
};

}  // namespace walduct::slot
