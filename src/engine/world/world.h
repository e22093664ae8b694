// World: everything a connector of a slot reaches outside of itself: time, chance, servers.
// Connectors share one; tests and the simulation have their own.
//
// Thread-safety: any thread. What it opens belongs to the thread that asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/control/run_goal.h"
#include "engine/errors/warn_once.h"
#include "engine/lifecycle/host.h"
#include "engine/world/registries.h"
#include "engine/world/source.h"
#include "metrics/connector_metrics.h"
#include "offset/offset_store.h"
#include "outbox/tables.h"
#include "postgres/describe/schema_memory.h"
#include "replication/slot_look.h"
#include "sink/sink.h"
#include "spill/disk.h"

namespace walduct::sink {
class Refusals;
}  // namespace walduct::sink

namespace walduct::engine {

struct ConnectorOptions;
class HandoverServer;
class StreamingPause;
struct CaptureRecord;

// All borrowed; outlive the source.
struct SourceOptions {
  const ConnectorOptions* config = nullptr;
  RunMode mode = RunMode::kRun;
  metrics::ConnectorMetrics* metrics = nullptr;
  WarnOnce* warn_once = nullptr;
  outbox::TableMemory* outbox_tables = nullptr;
  CaptureRecord* capture = nullptr;
  postgres::SchemaMemory* schemas = nullptr;  // null: nothing is remembered
  const StreamingPause* pause = nullptr;      // null: none
  postgres::StopCheck stopping = {};          // what waits for the database gives up
};

// Where a connector's slot is.
struct SlotPlace {
  std::string server;  // the same text for slots that one session can look at
  std::string slot;
};

class World : public Host {
 public:
  std::unique_ptr<Attempts> MakeAttempts(const AttemptParts& parts) override;
  std::unique_ptr<Monitor> MakeMonitor() override;

  // Both reach their servers: Unavailable while one is away.
  // refusals: what the sinks before have learnt; outlives this one.
  virtual absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const ConnectorOptions& config,
                                                               sink::Refusals* refusals) = 0;
  virtual absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const ConnectorOptions& config) = 0;
  // For transactions in progress; only where they are wanted.
  virtual absl::StatusOr<std::unique_ptr<spill::Disk>> OpenSpill(const ConnectorOptions&) {
    return absl::UnimplementedError("a world without a disk");
  }
  // Reaches no server; Source::Connect does.
  virtual absl::StatusOr<Registries> OpenRegistries(const ConnectorOptions&) {
    return Registries();
  }
  // What a hand-over to another number of slots asks of the database. config: of the first lane.
  // Reaches no server; HandoverServer::Connect does.
  virtual absl::StatusOr<std::unique_ptr<HandoverServer>> OpenHandover(
      const ConnectorOptions& config, const postgres::StopCheck& stopping);
  // Absent: the slot is not there while the connector is not, or there is none.
  virtual std::optional<SlotPlace> PlaceOfSlot(const ConnectorOptions&) { return std::nullopt; }
  // From beside all streams, with a session of its own for the look; of a connector whose slot is
  // in the same place. One answer for each slot.
  virtual absl::StatusOr<std::vector<replication::SlotLook>> LookAtSlots(
      const ConnectorOptions&, const std::vector<std::string>&, const postgres::StopCheck&) {
    return absl::UnimplementedError("a world without servers");
  }
  // Connects with Source::Inspect.
  virtual std::unique_ptr<Source> MakeSource(const SourceOptions& options) = 0;
};

}  // namespace walduct::engine
