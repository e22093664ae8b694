// World: everything a connector of a slot reaches outside of itself: time, chance, servers.
// Connectors share one; tests and the simulation have their own.
//
// Thread-safety: any thread. What it opens belongs to the thread that asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/control/run_goal.h"
#include "engine/errors/warn_once.h"
#include "engine/lifecycle/host.h"
#include "event/wanted_columns.h"
#include "metrics/connector_metrics.h"
#include "offset/offset_store.h"
#include "outbox/tables.h"
#include "postgres/describe/schema_memory.h"
#include "replication/slot.h"
#include "replication/slots/other_slot.h"
#include "replication/watched_slot.h"
#include "sink/sink.h"
#include "slot/world/registries.h"
#include "slot/world/source.h"
#include "spill/disk.h"

namespace walduct::sink {
class Refusals;
}  // namespace walduct::sink

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::replication {
struct ReplicationOptions;
}
namespace walduct::route {
struct RouteOptions;
}

namespace walduct::slot {

class HandoverServer;
class KnownSlot;
class StreamingPause;
class WatchSessions;
struct CaptureRecord;

// All borrowed; outlive the source.
struct SourceOptions {
  const engine::ConnectorOptions* config = nullptr;
  engine::RunMode mode = engine::RunMode::kRun;
  metrics::ConnectorMetrics* metrics = nullptr;
  engine::WarnOnce* warn_once = nullptr;
  outbox::TableMemory* outbox_tables = nullptr;
  CaptureRecord* capture = nullptr;
  std::shared_ptr<WatchSessions> watch_sessions = nullptr;  // null: they are its own
  postgres::SchemaMemory* schemas = nullptr;                // null: nothing is remembered
  const StreamingPause* pause = nullptr;                    // null: none
  postgres::StopCheck stopping = {};                        // what waits for the database gives up
  replication::TellBlockers blockers = {};                  // is told what a new slot waits for
  replication::SlotReaders slot_readers = {};
  std::set<std::string> publications_of_others = {};  // of the process, which no hint names
};

// Where a connector's slot is.
struct SlotPlace {
  std::string server;  // the same text for slots that one session can look at
  std::string slot;

  std::string Name() const { return server + "/" + slot; }
};

// What a connector captures, and a session with its database, perhaps another connector's, too.
// Borrowed, but for that.
struct CaptureSession {
  std::shared_ptr<postgres::Connection> session;
  const names::TableFilterOptions* tables = nullptr;
  const route::RouteOptions* route = nullptr;
  const replication::ReplicationOptions* replication = nullptr;
  event::WantedColumns wanted = {};
  std::set<std::string> publications_of_others = {};  // as above
  std::string heartbeat_query = {};                   // heartbeat.action.query
};

class World : public engine::Host {
 public:
  std::unique_ptr<engine::Attempts> MakeAttempts(const engine::AttemptParts& parts) override;
  std::vector<engine::ConnectorOptions> LanesOf(const engine::ConnectorOptions& whole) override;
  std::unique_ptr<engine::Monitor> MakeMonitor() override;

  // Both reach their servers: Unavailable while one is away.
  // refusals: what the sinks before have learnt; outlives this one.
  virtual absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(
      const engine::ConnectorOptions& config, sink::Refusals* refusals) = 0;
  virtual absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config) = 0;
  // For transactions in progress; only where they are wanted.
  virtual absl::StatusOr<std::unique_ptr<spill::Disk>> OpenSpill(const engine::ConnectorOptions&) {
    return absl::UnimplementedError("a world without a disk");
  }
  // Reaches no server; Source::Connect does.
  virtual absl::StatusOr<Registries> OpenRegistries(const engine::ConnectorOptions&) {
    return Registries();
  }
  // What a hand-over to another number of slots asks of the database. config: of the first lane.
  // Reaches no server; HandoverServer::Connect does.
  virtual absl::StatusOr<std::unique_ptr<HandoverServer>> OpenHandover(
      const engine::ConnectorOptions& config, const postgres::StopCheck& stopping);
  // Absent: the slot is not there while the connector is not, or there is none.
  virtual std::optional<SlotPlace> PlaceOfSlot(const engine::ConnectorOptions&) {
    return std::nullopt;
  }
  // From beside all streams, with a session of its own for the looks; of a connector whose slot is
  // in the same place. One answer for each slot.
  virtual absl::StatusOr<std::vector<replication::WatchedSlot>> ReadWatchedSlots(
      const engine::ConnectorOptions&, const std::vector<std::string>&,
      const postgres::StopCheck&) {
    return absl::UnimplementedError("a world without servers");
  }
  // A session to look at what is captured with, from beside; gives up soon. It is shared with who
  // would have the same, and with ReadWatchedSlots, until CloseLooks.
  virtual absl::StatusOr<CaptureSession> OpenCaptureSession(const engine::ConnectorOptions&,
                                                            const postgres::StopCheck&) {
    return absl::UnimplementedError("a world without servers");
  }
  // Ends the sessions of looks, or forgets them where somebody holds them still.
  virtual void CloseLooks() {}
  // What is known of a connector's slot already, and is to be known to who runs it next. Here:
  // nothing, and to nobody.
  virtual std::shared_ptr<KnownSlot> KnownOf(const engine::ConnectorOptions& config);
  // Other connectors of the process that read its slot.
  virtual std::vector<std::string> OtherReadersOf(const engine::ConnectorOptions&) { return {}; }
  // Connects with Source::Inspect.
  virtual std::unique_ptr<Source> MakeSource(const SourceOptions& options) = 0;
};

}  // namespace walduct::slot
