// KafkaTopics: a worker's topics in Kafka, created compacted where they are missing. Written with
// the partitioner of Kafka's own clients, so that one key has one history whoever writes it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/mutex.h"
#include "kafka/look/topic_follower.h"
#include "kafka/producer.h"
#include "serve/topics/internal_topics.h"
#include "serve/topics/worker_options.h"

namespace walduct::serve {

class KafkaTopics final : public InternalTopics, private kafka::DeliveryHandler {
 public:
  // is_away: a write that is not acknowledged is given up at once; empty: after half a minute.
  KafkaTopics(WorkerOptions options, const Environment& environment,
              std::function<bool()> is_away = {})
      : options_(std::move(options)), environment_(environment), is_away_(std::move(is_away)) {}

  // Creates what is missing. Unavailable: Kafka is away. FailedPrecondition
  // internal_topic_not_compacted, or as topics are created.
  absl::Status Prepare() override;
  // FailedPrecondition group_session_refused: brokers that say what they allow would not take the
  // session of a member that shares.
  absl::Status CheckSession();
  absl::Status CheckThere() override;
  std::vector<std::string> SimilarTo(InternalTopic topic) override;

  // The id of the cluster that they were prepared in.
  std::string ClusterId();

  absl::Status Write(InternalTopic topic, const std::vector<TopicEntry>& entries) override;
  absl::Status Read(InternalTopic topic, const Handler& handler) override;
  absl::Status Follow(const FollowHandler& handler) override;
  void Unfollow() override;

 private:
  struct Writer {
    std::unique_ptr<kafka::Producer> producer;
    std::vector<kafka::Topic> topics;  // by InternalTopic; before the producer goes
  };

  const InternalTopicOptions& OptionsOf(InternalTopic topic) const;
  absl::Status Open() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Close() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CreateMissing(const InternalTopicOptions& topic)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Create(const InternalTopicOptions& topic, int replication_factor)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The first of them that is not.
  absl::Status CheckCompacted(const std::vector<std::string>& topics)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status AwaitAcknowledgement() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Send(const kafka::Topic& topic, const TopicEntry& entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A broker may not know yet what was just created: asked again for a moment.
  absl::Status OnceKnown(const std::function<absl::Status()>& read);
  bool AreNew();
  void OnDelivered(uint64_t, uint32_t) override {}

  const WorkerOptions options_;
  const Environment environment_;
  const std::function<bool()> is_away_;
  Mutex mutex_;
  Writer writer_ ABSL_GUARDED_BY(mutex_);
  std::string cluster_id_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Duration> created_ ABSL_GUARDED_BY(mutex_);  // a topic, the last time
  Mutex following_;  // beside mutex_, which handlers may wait for
  std::unique_ptr<kafka::TopicFollower> follower_ ABSL_GUARDED_BY(following_);
};

}  // namespace walduct::serve
