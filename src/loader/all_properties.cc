#include "loader/all_properties.h"

#include <algorithm>
#include <vector>

#include "config/properties/own_properties.h"
#include "console/console_properties.h"
#include "encode/options/avro_properties.h"
#include "encode/options/cloud_events_properties.h"
#include "encode/options/column_properties.h"
#include "encode/options/converter_properties.h"
#include "encode/options/encode_properties.h"
#include "encode/options/value_properties.h"
#include "engine/configuration/heartbeat_properties.h"
#include "engine/configuration/record_error_properties.h"
#include "engine/configuration/runtime_properties.h"
#include "http/listen_properties.h"
#include "incremental/incremental_properties.h"
#include "kafka/client_properties.h"
#include "loader/exactly_once.h"
#include "loader/other_properties.h"
#include "loader/source_types.h"
#include "offset/offset_properties.h"
#include "outbox/outbox_properties.h"
#include "postgres/database_properties.h"
#include "registry/registry_properties.h"
#include "replication/replication_properties.h"
#include "route/route_properties.h"
#include "route/table_filter_properties.h"
#include "sink/list/sink_types.h"
#include "snapshot/snapshot_properties.h"
#include "spill/spill_properties.h"
#include "transform/properties/chain_properties.h"

namespace walduct::loader {

namespace {

// The rows of each source and of each sink, at the end of their chapter.
template <typename Type>
void AddRows(absl::Span<const Type* const> types, std::vector<config::PropertySection>* sections) {
  for (const Type* type : types) {
    if (type->rows == nullptr) continue;
    const auto after = std::find_if(
        sections->rbegin(), sections->rend(),
        [&](const config::PropertySection& section) { return section.title == type->section; });
    sections->insert(after.base(), {type->section, type->rows()});
  }
}

std::vector<config::PropertySection> WithDoors(std::vector<config::PropertySection> sections) {
  AddRows(SourceTypes(), &sections);
  AddRows(sink::SinkTypes(), &sections);
  return sections;
}

}  // namespace

const config::PropertyTable& AllProperties() {
  // Never destroyed: look-ups stay valid to the end of the process.
  static const auto* const table = new config::PropertyTable(WithDoors({
      {"Connection", postgres::ConnectionProperties()},
      {"Connection", config::MaskingProperties()},
      {"Other connectors and the Java driver", SiblingProperties()},
      {"Other connectors and the Java driver", postgres::DriverProperties()},
      {"Replication", replication::ReplicationProperties()},
      {"Replication", route::MessageProperties()},
      {"Topics and records", route::TopicProperties()},
      {"Topics and records", encode::HeaderProperties()},
      {"Filters", route::TableFilterProperties()},
      {"Filters", encode::ColumnProperties()},
      {"Filters", route::OperationProperties()},
      {"Values", encode::ValueProperties()},
      {"Snapshot", snapshot::SnapshotProperties()},
      {"Snapshot", incremental::IncrementalProperties()},
      {"Signals", incremental::SignalProperties()},
      {"Signals", engine::HeartbeatProperties()},
      {"Runtime", engine::RuntimeProperties()},
      {"Kafka Connect", ConnectorProperties()},
      {"Kafka Connect", encode::ConverterProperties()},
      {"Schema registries", registry::RegistryProperties()},
      {"Schema registries", encode::AvroProperties()},
      {"CloudEvents", encode::CloudEventsProperties()},
      {"Kafka Connect", transform::ChainProperties()},
      {"Kafka Connect", engine::RecordErrorProperties()},
      {"Kafka Connect", DeliveryProperties()},
      {"Kafka Connect", ExactlyOnceProperties()},
      {"Kafka Connect", config::ProviderProperties()},
      {"Kafka Connect", WorkerProperties()},
      {"Kafka clients", kafka::ClientProperties()},
      {"Position", offset::OffsetProperties()},
      {"walduct's own", sink::SinkProperties()},
      {"walduct's own", postgres::ConnectTimeoutProperties()},
      {"walduct's own", encode::LostValueProperties()},
      {"walduct's own", encode::LostMaskProperties()},
      {"walduct's own", engine::DelayProperties()},
      {"walduct's own", spill::SpillProperties()},
      {"walduct's own", config::StrictnessProperties()},
      {"walduct's own", http::ListenProperties()},
      {"walduct's own", console::ConsoleProperties()},
      {"walduct's own", outbox::OutboxProperties()},
  }));
  return *table;
}

}  // namespace walduct::loader
