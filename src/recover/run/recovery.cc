#include "recover/run/recovery.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/configuration/heartbeat_options.h"
#include "incremental/options/incremental_options.h"
#include "offset/options.h"
#include "outbox/options.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "snapshot/mode.h"
#include "snapshot/options.h"

namespace walduct::recover {
namespace {

// Replay waits at each cut until the position is confirmed.
constexpr absl::Duration kStoreEach = absl::Milliseconds(200);

}  // namespace

absl::Status CheckRecoverable(const engine::ConnectorOptions& connector) {
  const replication::ReplicationOptions& slot = *connector.replication;
  if (slot.share.count > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "walduct.slots=", slot.share.count,
        ": the gap of a connector with several slots cannot be read; read the tables anew"));
  }
  if (slot.temporary_slot || slot.drop_slot_on_stop)
    return absl::InvalidArgumentError("slot.drop.on.stop=true: such a slot has no gap");
  if (!snapshot::Streams(connector.snapshot->mode))
    return absl::InvalidArgumentError("snapshot.mode: the connector does not stream");
  if (connector.offset->kind == offset::OffsetStoreKind::kMemory)
    return absl::InvalidArgumentError("offset.storage: the connector stores no position");
  return absl::OkStatus();
}

engine::ConnectorOptions OnRestored(const RecoveryOptions& recovery) {
  engine::ConnectorOptions config = recovery.connector;
  config.database->hostname = recovery.host;
  config.database->port = recovery.port;
  config.database->target_session_attrs = "any";
  if (!recovery.sslmode.empty()) config.database->sslmode = recovery.sslmode;
  replication::ReplicationOptions& slot = *config.replication;
  slot.restored_server = true;
  slot.holds_lost_slot = false;
  slot.failover_slot = false;
  slot.publication_autocreate = replication::PublicationAutocreate::kDisabled;
  slot.publication_follow = false;
  slot.replica_identities.clear();
  slot.offset_mismatch = replication::OffsetMismatch::kNoValidation;
  slot.status_interval = std::min(slot.status_interval, absl::Seconds(1));
  config.snapshot->mode = snapshot::SnapshotMode::kNoData;
  config.heartbeat->action_query.clear();
  config.outbox->cleanup = outbox::OutboxCleanup::kNone;
  incremental::IncrementalOptions& signals = *config.incremental;
  signals.rests = true;
  // What is sent there waits for `run`.
  signals.file_channel = signals.kafka_channel = signals.reads_new_tables = false;
  config.offset->flush_interval = std::min(config.offset->flush_interval, kStoreEach);
  return config;
}

}  // namespace walduct::recover
