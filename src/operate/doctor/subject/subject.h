// Subject: the connector that a doctor looks at. All borrowed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "offset/offset_key.h"

namespace walduct::encode {
struct ColumnOptions;
struct EncodeOptions;
}  // namespace walduct::encode
namespace walduct::incremental {
struct IncrementalOptions;
}
namespace walduct::kafka {
struct KafkaOptions;
}
namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::offset {
struct OffsetOptions;
}
namespace walduct::outbox {
struct OutboxOptions;
}
namespace walduct::postgres {
struct DatabaseOptions;
}
namespace walduct::registry {
struct RegistriesOptions;
}
namespace walduct::replication {
struct ReplicationOptions;
}
namespace walduct::route {
class MessageKeys;
}
namespace walduct::sink {
struct SinkOptions;
}
namespace walduct::snapshot {
struct SnapshotOptions;
}
namespace walduct::spill {
struct SpillOptions;
}
namespace walduct::transform {
struct ChainSpec;
}

namespace walduct::engine {
struct ConnectorOptions;
struct HeartbeatOptions;
}  // namespace walduct::engine

namespace walduct::operate {

struct Subject {
  const engine::ConnectorOptions& whole;
  std::string name;
  offset::OffsetIdentity identity;
  const postgres::DatabaseOptions& database;
  const replication::ReplicationOptions& replication;
  const names::TableFilterOptions& tables;
  const snapshot::SnapshotOptions& snapshot;
  const encode::EncodeOptions& encode;
  const kafka::KafkaOptions& kafka;
  const sink::SinkOptions& sink;
  const offset::OffsetOptions& offset;
  const registry::RegistriesOptions& registries;
  const std::optional<route::MessageKeys>& message_keys;
  const encode::ColumnOptions& columns;
  const incremental::IncrementalOptions& incremental;
  const engine::HeartbeatOptions& heartbeat;
  const outbox::OutboxOptions& outbox;
  const spill::SpillOptions& spill;
  const transform::ChainSpec& chain;
  bool runs = false;      // in this process, which knows a position
  bool had_slot = false;  // as this process has seen
  // Of other connectors of this process that read by the same publication.
  std::vector<const names::TableFilterOptions*> sharing = {};
  // Of others of this process, on the same server: the slots that they read, and the publications
  // of the same database that they read by.
  std::set<std::string> slots_of_others = {};
  std::set<std::string> publications_of_others = {};
};

}  // namespace walduct::operate
