// AwaitedTopics: the topics that a broker is to create for their first records. It creates them one
// after the other, some 30 a second, and librdkafka gives each up that does not exist after
// topic.metadata.propagation.max.ms: so only a few may be waited for at once.
#pragma once

#include <string>
#include <vector>

#include "kafka/producer.h"

namespace walduct::sink {

class AwaitedTopics {
 public:
  // A second's worth of creating for a broker, far from what librdkafka waits.
  static constexpr size_t kMost = 32;

  explicit AwaitedTopics(const kafka::Producer* producer) : producer_(*producer) {}

  // Whether records may be sent to this topic, which does not exist; no: later, once others have
  // been created or given up.
  bool Add(const std::string& topic);

 private:
  const kafka::Producer& producer_;
  std::vector<std::string> topics_;  // without a delivered record, as far as is known
};

}  // namespace walduct::sink
