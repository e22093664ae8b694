// ConnectorOptions: the configuration of one connector, one struct per room. Only what composes the
// rooms takes the whole; a class takes the struct of its own room. Whoever reads a room's options
// includes the header of that room: this one includes none, so that a new option of one room
// compiles that room again and not the engine. Built by loader/load_connector.h; immutable
// afterwards.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/indirect.h"
#include "engine/configuration/connector_names.h"

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
struct RouteOptions;
}  // namespace walduct::route
namespace walduct::sink {
struct SinkOptions;
}
namespace walduct::slot {
class HandoverNews;
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

struct HeartbeatOptions;
struct RecordErrorOptions;
struct RuntimeOptions;
struct SourceType;

struct ConnectorOptions {
  ConnectorOptions();
  ConnectorOptions(const ConnectorOptions&);
  ConnectorOptions(ConnectorOptions&&) noexcept;
  ConnectorOptions& operator=(const ConnectorOptions&);
  ConnectorOptions& operator=(ConnectorOptions&&) noexcept;
  ~ConnectorOptions();

  std::string name;                    // namespace of the offsets
  const SourceType* source = nullptr;  // null: the one that the host has by itself
  Indirect<postgres::DatabaseOptions> database;
  Indirect<replication::ReplicationOptions> replication;
  Indirect<names::TableFilterOptions> tables;
  Indirect<snapshot::SnapshotOptions> snapshot;
  Indirect<incremental::IncrementalOptions> incremental;
  Indirect<encode::EncodeOptions> encode;
  Indirect<registry::RegistriesOptions> registries;
  Indirect<route::RouteOptions> route;
  Indirect<transform::ChainSpec> chain;
  Indirect<kafka::KafkaOptions> kafka;
  Indirect<sink::SinkOptions> sink;
  Indirect<offset::OffsetOptions> offset;
  Indirect<HeartbeatOptions> heartbeat;
  Indirect<RecordErrorOptions> record_errors;
  Indirect<RuntimeOptions> runtime;
  Indirect<outbox::OutboxOptions> outbox;
  Indirect<spill::SpillOptions> spill;
  std::shared_ptr<slot::HandoverNews> handover_news;  // one for all lanes; null: no lane of any
};

// Debezium's name of the server.
std::string TopicPrefixOf(const ConnectorOptions& options);

// The file that positions are in; empty: they are in none.
std::string OffsetFileOf(const ConnectorOptions& options);

}  // namespace walduct::engine
