// Deletes topics. Blocks.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "kafka/client.h"

namespace walduct::kafka {

// Those that are gone already are no error. Others as KafkaError, of the first that fails.
absl::Status DeleteTopics(Client& client, const std::vector<std::string>& topics,
                          absl::Duration timeout);

}  // namespace walduct::kafka
