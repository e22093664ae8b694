#include "loader/all_properties.h"

#include "config/properties/own_properties.h"
#include "loader/definitions.h"

namespace walduct::loader {

const config::PropertyTable& AllProperties() {
  // Never destroyed: look-ups stay valid to the end of the process.
  static const auto* const table = new config::PropertyTable({
      {"Connection", ConnectionDefinitions()},
      {"Connection", config::MaskingProperties()},
      {"Connection", DriverDefinitions()},
      {"Replication", ReplicationDefinitions()},
      {"Topics and records", TopicDefinitions()},
      {"Filters", FilterDefinitions()},
      {"Values", ValueDefinitions()},
      {"Snapshot", SnapshotDefinitions()},
      {"Signals", SignalDefinitions()},
      {"Runtime", RuntimeDefinitions()},
      {"Kafka Connect", FrameworkDefinitions()},
      {"Kafka Connect", config::ProviderProperties()},
      {"Kafka Connect", WorkerDefinitions()},
      {"Kafka clients", KafkaDefinitions()},
      {"Position", OffsetDefinitions()},
      {"walduct's own", WalductDefinitions()},
      {"walduct's own", config::StrictnessProperties()},
      {"walduct's own", OutboxDefinitions()},
  });
  return *table;
}

}  // namespace walduct::loader
