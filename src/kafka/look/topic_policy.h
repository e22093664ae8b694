// What a topic is like that has to keep the newest record of each key for ever. Blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "kafka/client.h"

namespace walduct::kafka {

// The value of a topic's property. Absent when the broker does not say: no right to ask, a broker
// too old, no answer within the timeout.
std::optional<std::string> ReadTopicProperty(Client& client, const std::string& topic,
                                             const std::string& name, absl::Duration timeout);
// The same of each, in one request. No topic twice.
std::vector<std::optional<std::string>> ReadTopicProperties(Client& client,
                                                            const std::vector<std::string>& topics,
                                                            const std::string& name,
                                                            absl::Duration timeout);

struct Replication {
  int brokers = 0;
  int fewest_replicas = 0;  // of the topic's partitions
};
std::optional<Replication> ReadReplication(Client& client, const std::string& topic,
                                           absl::Duration timeout);

}  // namespace walduct::kafka
