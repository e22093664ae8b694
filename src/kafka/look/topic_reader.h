// ReadTopic: reads a small topic from its first record to what is its end now, as Connect reads its
// offset topic: all partitions, committed records only.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "kafka/look/topic_stream.h"

namespace walduct::kafka {

// Calls handler for each record, in order within a partition. Blocks, as a rule also until the
// transactions are decided that are open in the topic when it begins.
//   Unavailable broker_unavailable, topic_read_timeout; FailedPrecondition topic_missing; others as
//   KafkaError
absl::Status ReadTopic(const TopicReadOptions& options,
                       const std::function<void(const TopicRecord&)>& handler);

}  // namespace walduct::kafka
