// ReadTopic: reads a small topic from its first record to what is its end now, as Connect reads its
// offset topic: all partitions, committed records only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "kafka/properties.h"

namespace walduct::kafka {

// Borrowed for the call.
struct TopicRecord {
  int32_t partition = 0;
  int64_t timestamp_ms = 0;
  std::optional<absl::string_view> key;
  std::optional<absl::string_view> value;
};

struct TopicReadOptions {
  std::string bootstrap_servers;
  Properties java;  // of a consumer
  std::string topic;
  absl::Duration timeout;  // for everything
  // False: each partition is read to where its first open transaction begins.
  bool awaits_transactions = true;
  Environment environment;
};

// Calls handler for each record, in order within a partition. Blocks, as a rule also until the
// transactions are decided that are open in the topic when it begins.
//   Unavailable broker_unavailable, topic_read_timeout; FailedPrecondition topic_missing; others as
//   KafkaError
absl::Status ReadTopic(const TopicReadOptions& options,
                       const std::function<void(const TopicRecord&)>& handler);

}  // namespace walduct::kafka
