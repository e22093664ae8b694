#include "sink/kafka_sink_type.h"

#include "sink/kafka_sink.h"
#include "sink/kafka_sink_properties.h"
#include "sink/topic_creation.h"

namespace walduct::sink {
namespace {

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  KafkaSinkOptions options = BuildKafkaSink(properties);
  options.buffer_bytes = buffer_bytes;
  return std::make_shared<KafkaDestination>(std::move(options));
}

}  // namespace

constinit const SinkType kKafkaSink = {
    .name = "kafka",
    .traits = {.store = SinkTraits::Store::kKafka, .kafka = true, .transactions = true},
    .section = "Kafka clients",
    .rows = TopicCreationProperties,
    .check = CheckTopicCreation,
    .build = Build,
};

std::shared_ptr<Destination> DefaultDestination() {
  return std::make_shared<KafkaDestination>(KafkaSinkOptions());
}

absl::StatusOr<std::unique_ptr<Sink>> KafkaDestination::Open(const SinkContext& context) const {
  return KafkaSink::Create(options_, context.kafka, context.environment, context.refusals);
}

kafka::NewTopic KafkaDestination::PlanTopic(absl::string_view topic) const {
  return sink::PlanTopic(topic, options_.topic_creation);
}

void KafkaDestination::Tolerate(const Tolerance& tolerance) {
  options_.dead_letter_topic = tolerance.dead_letter_topic;
  options_.dead_letter_replication_factor = tolerance.replication_factor;
  options_.tolerates_missing = tolerance.missing;
  options_.tolerates_denied = tolerance.denied;
}

bool KafkaDestination::CountTopics(const std::shared_ptr<metrics::TopicBoard>& topics) {
  options_.topics = topics;
  return true;
}

}  // namespace walduct::sink
