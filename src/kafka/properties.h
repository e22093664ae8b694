// From the property names of Kafka's Java clients to librdkafka's (its CONFIGURATION.md), so that a
// Connect worker's file works as it is. Names that both know pass through; a name that neither
// knows is found when the client is made and only warned about.
#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace walduct::kafka {

using Properties = std::map<std::string, std::string>;

// Values may hold secrets. `rdkafka.<name>` passes <name> through untouched and wins.
// InvalidArgument: kafka_property_invalid, kafka_sasl_unsupported, kafka_jaas_malformed,
// kafka_store_* .
absl::StatusOr<Properties> TranslateProperties(const Properties& java);

// What brokers give a transaction when java does not say: the most that they allow by default. All
// rows of a snapshot are one.
inline constexpr absl::Duration kTransactionTimeout = absl::Minutes(15);

// A producer's properties: ours, java's over them, and what must hold for order and durability over
// those.
struct ProducerRules {
  // most that will be queued; bounds the caller, not a single record
  size_t buffer_bytes = 8u << 20;
  bool auto_create_topics = true;  // let the broker create a topic at its first record
  size_t batch_bytes = 0;          // of a batch at most, whatever java says; 0: no limit of ours
  // Not empty: a producer with transactions, which shuts every earlier one of this id out.
  std::string transactional_id = {};
  // Unless java says otherwise:
  int linger_ms = 1;               // under load batches fill while one is on its way
  size_t message_bytes = 1 << 20;  // of a record before it is compressed, at most; as Java's
  std::string compression = {};    // empty: none
};
// InvalidArgument kafka_property_invalid also for values that would lose or reorder records: acks
// other than all, transactional.id, more requests in flight than idempotence orders.
absl::StatusOr<Properties> ProducerProperties(const Properties& java, const ProducerRules& rules);

}  // namespace walduct::kafka
