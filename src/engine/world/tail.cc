#include "engine/world/tail.h"

#include <unistd.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "offset/options.h"
#include "outbox/options.h"
#include "replication/options.h"
#include "replication/publication.h"
#include "sink/options.h"
#include "snapshot/options.h"

namespace walduct::engine {
namespace {

constexpr absl::string_view kFindPublication =
    "SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = $1";

std::string UniqueName() {
  return absl::StrCat("walduct_tail_", getpid(), "_", std::random_device{}() % 1000000);
}

}  // namespace

ConnectorOptions TailConfig(ConnectorOptions config, bool keep_snapshot_mode) {
  config.sink->target = sink::StdoutSinkOptions{.pretty = true};
  config.offset->kind = offset::OffsetStoreKind::kMemory;
  config.replication->temporary_slot = true;
  config.replication->failover_slot = false;
  config.replication->drop_slot_on_stop = false;
  config.replication->slot_name = UniqueName();
  *config.heartbeat = {};  // nor does it write to the database
  config.replication->replica_identities.clear();
  config.outbox->cleanup = outbox::OutboxCleanup::kNone;
  if (!keep_snapshot_mode) config.snapshot->mode = snapshot::SnapshotMode::kNoData;
  return config;
}

absl::StatusOr<std::unique_ptr<TailPublication>> TailPublication::Ensure(
    postgres::Connection& connection, const replication::ReplicationOptions& options,
    const std::vector<postgres::TableName>& captured) {
  ASSIGN_OR_RETURN(const postgres::Result found,
                   connection.Query(kFindPublication, {options.publication_name}));
  const bool exists = found.rows() > 0;
  replication::ReplicationOptions own = options;
  if (!exists) {
    own.publication_name = UniqueName();
    RETURN_IF_ERROR(replication::EnsurePublication(connection, own, captured));
  }
  return std::unique_ptr<TailPublication>(
      new TailPublication(connection, own.publication_name, !exists));
}

TailPublication::~TailPublication() {
  if (!created_) return;
  const auto dropped =
      connection_.Query(absl::StrCat("DROP PUBLICATION ", postgres::QuoteIdentifier(name_)));
  if (!dropped.ok()) {
    log::Warn("cannot drop the publication created for tail",
              {{"publication", name_}, {"error", std::string(dropped.status().message())}});
  }
}

}  // namespace walduct::engine
