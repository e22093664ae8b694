// Whether the topic of the offsets keeps them for ever, as Connect checks it: with another policy
// the broker removes the position one day.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kafka/client.h"

namespace walduct::offset {

// FailedPrecondition offset_topic_not_compacted. OK also where the broker does not say. Blocks for
// some seconds at most.
absl::Status CheckCompacted(kafka::Client& client, const std::string& bootstrap_servers,
                            const std::string& topic);
// The same of each, in one request.
std::vector<absl::Status> CheckCompacted(kafka::Client& client,
                                         const std::string& bootstrap_servers,
                                         const std::vector<std::string>& topics);

}  // namespace walduct::offset
