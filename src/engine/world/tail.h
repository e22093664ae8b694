// What `walduct tail` changes in a configuration, so that it can run beside the connector it looks
// at and leaves nothing behind: its own temporary slot, the terminal as sink, no stored offset, and
// a publication of its own where the configured one does not exist.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"

namespace walduct::replication {
struct ReplicationOptions;
}  // namespace walduct::replication

namespace walduct::engine {

struct ConnectorOptions;

// keep_snapshot_mode: the user set snapshot.mode. Otherwise tail shows only what changes from now
// on.
ConnectorOptions TailConfig(ConnectorOptions config, bool keep_snapshot_mode);

// A publication to read through. Dropped again when it had to be created. connection is borrowed
// for the object's life.
class TailPublication {
 public:
  static absl::StatusOr<std::unique_ptr<TailPublication>> Ensure(
      postgres::Connection& connection, const replication::ReplicationOptions& options,
      const std::vector<postgres::TableName>& captured);
  ~TailPublication();
  TailPublication(const TailPublication&) = delete;
  TailPublication& operator=(const TailPublication&) = delete;

  const std::string& name() const { return name_; }

 private:
  TailPublication(postgres::Connection& connection, std::string name, bool created)
      : connection_(connection), name_(std::move(name)), created_(created) {}

  postgres::Connection& connection_;
  std::string name_;
  bool created_;
};

}  // namespace walduct::engine
