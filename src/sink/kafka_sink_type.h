// Kafka's row, and its options as a target.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sink/kafka_sink_options.h"
#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kKafkaSink;

class KafkaDestination final : public Destination {
 public:
  explicit KafkaDestination(KafkaSinkOptions options) : options_(std::move(options)) {}

  const SinkType& type() const override { return kKafkaSink; }
  absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext& context) const override;
  bool creates_topics() const override { return !options_.topic_creation.empty(); }
  kafka::NewTopic PlanTopic(absl::string_view topic) const override;
  void Tolerate(const Tolerance& tolerance) override;
  void UseTransactions(const std::string& id) override { options_.transactional_id = id; }
  bool in_transactions() const override { return !options_.transactional_id.empty(); }
  bool CountTopics(const std::shared_ptr<metrics::TopicBoard>& topics) override;

  const KafkaSinkOptions& options() const { return options_; }

 private:
  KafkaSinkOptions options_;
};

}  // namespace walduct::sink
