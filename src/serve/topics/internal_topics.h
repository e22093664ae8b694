// InternalTopics: the seam between a worker and the topics that it keeps its state in.
//
// Thread-safety: any thread; calls wait for each other. All block.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::serve {

enum class InternalTopic { kConfigs, kStatus, kOffsets };

struct TopicEntry {
  std::string key;
  std::optional<std::string> value;  // absent: null
};

class InternalTopics {
 public:
  virtual ~InternalTopics() = default;

  // Creates what is missing. As KafkaTopics says.
  virtual absl::Status Prepare() { return absl::OkStatus(); }

  // FailedPrecondition worker_topic_gone: the topic of connectors or that of states was deleted;
  // internal_topic_not_compacted: the next start would refuse one of the three.
  // Whatever else is wrong is told by who writes or reads.
  virtual absl::Status CheckThere() { return absl::OkStatus(); }

  // Other topics of Kafka with almost its name; empty: none, or nobody answers.
  virtual std::vector<std::string> SimilarTo(InternalTopic /*topic*/) { return {}; }

  // In this order, durable when it returns OK. What was begun when it fails may have been written.
  virtual absl::Status Write(InternalTopic topic, const std::vector<TopicEntry>& entries) = 0;

  // From the first record to the present end. The views are valid for the call.
  using Handler =
      std::function<void(absl::string_view key, std::optional<absl::string_view> value)>;
  virtual absl::Status Read(InternalTopic topic, const Handler& handler) = 0;

  // The topics of configurations and of states from their first records on, also what others write,
  // until Unfollow; the handler is called by one thread. key absent: the topic's end was reached.
  struct Followed {
    InternalTopic topic = InternalTopic::kConfigs;
    std::optional<absl::string_view> key, value;
    bool caught_up = false;  // it is news, not what was there before
  };
  using FollowHandler = std::function<void(const Followed& record)>;
  virtual absl::Status Follow(const FollowHandler& /*handler*/) { return absl::OkStatus(); }
  virtual void Unfollow() {}
};

}  // namespace walduct::serve
