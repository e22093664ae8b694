// What brokers say of topics and of themselves, for those who only look. Blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "kafka/client.h"

namespace walduct::kafka {

struct TopicDescription {
  std::string name;
  absl::Status status;  // FailedPrecondition topic_missing; others as KafkaError
  std::optional<bool> may_write = std::nullopt;  // absent: the broker does not say
  size_t replicas = 0;                           // of the partition that has fewest
};

// In any order; fewer when there is no answer within the timeout.
std::vector<TopicDescription> DescribeTopics(Client& client, const std::vector<std::string>& topics,
                                             absl::Duration timeout);

// A property of the broker that is the controller. Absent when it does not say.
std::optional<std::string> ReadBrokerProperty(Client& client, const std::string& name,
                                              absl::Duration timeout);

}  // namespace walduct::kafka
