// CompareTopics: all topics of two prefixes, read side by side. Blocks; only reads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "compare/matcher.h"

namespace walduct::kafka {
struct KafkaOptions;
}

namespace walduct::compare {

struct CompareOptions {
  const kafka::KafkaOptions* kafka = nullptr;  // borrowed
  std::string left, right;                     // prefixes; what follows is the same on both sides
  std::vector<std::string> ignored;            // paths of fields; "headers"
  bool events = false;                         // an EventRouter is in the chain of both
  Matcher::Limits limits;
  Environment environment;
  // Each few seconds while Kafka does not answer: who, and for how long.
  std::function<void(const std::string& servers, absl::Duration waited)> waits = nullptr;
};

struct TopicResult {
  std::string left, right;  // empty: that side has no such topic
  Result result;
};

// report: after each pair of topics, by name.
//   FailedPrecondition no_topics; Unimplemented format_not_compared; ResourceExhausted
//   comparison_too_far_apart; as TopicStream
absl::Status CompareTopics(const CompareOptions& options,
                           const std::function<void(const TopicResult&)>& report);

}  // namespace walduct::compare
