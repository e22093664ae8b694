#include "sink/list/sink_types.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kafka/options.h"
#include "kafka/topic_admin.h"
#include "sink/http/http_sink_type.h"
#include "sink/kafka_sink_type.h"
#include "sink/kinesis/kinesis_sink_type.h"
#include "sink/line/line_sink_type.h"
#include "sink/nats/nats_sink_type.h"
#include "sink/rabbitmq/rabbitmq_sink_type.h"
#include "sink/redis/redis_sink_type.h"
#include "sink/sns/sns_sink_type.h"
#include "sink/sqs/sqs_sink_type.h"

namespace walduct::sink {
namespace {

constexpr const SinkType* kTypes[] = {&kKafkaSink,  &kRedisSink,   &kNatsSink, &kRabbitMqSink,
                                      &kHttpSink,   &kKinesisSink, &kSqsSink,  &kSnsSink,
                                      &kStdoutSink, &kFileSink};

const std::string& Names() {
  static const auto* const names =
      new std::string(absl::StrJoin(kTypes, ", ", [](std::string* out, const SinkType* type) {
        absl::StrAppend(out, type->name);
      }));
  return *names;
}

}  // namespace

absl::Span<const SinkType* const> SinkTypes() { return kTypes; }

const SinkType& ChosenType(const config::PropertySet& properties) {
  const std::string name = properties.Text("sink");
  const auto* const found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                         [&](const SinkType* type) { return type->name == name; });
  return found == std::end(kTypes) ? **std::begin(kTypes) : **found;
}

absl::Span<const config::PropertyDefinition> SinkProperties() {
  static const config::PropertyDefinition rows[] = {
      {.name = "sink",
       .type = config::PropertyType::kEnum,
       .default_value = "kafka",
       .doc = "Destination of records: Kafka, Redis streams, NATS JetStream, RabbitMQ, an HTTP "
              "server, Kinesis, SQS, SNS, or one JSON object per record to standard output or a "
              "file (docs/sinks.md).",
       .allowed = Names(),
       .fix = "the default is 'kafka'; docs/not-yet.md says what to use for other destinations"},
  };
  return rows;
}

kafka::NewTopic Destination::PlanTopic(absl::string_view topic) const {
  kafka::NewTopic planned;
  planned.name = std::string(topic);
  return planned;
}

void CheckSinks(const config::PropertySet& properties, config::Findings* findings) {
  for (const SinkType* type : kTypes) {
    if (type->check != nullptr) type->check(properties, findings);
  }
}

SinkOptions BuildSink(const config::PropertySet& properties, const kafka::KafkaOptions& kafka) {
  int64_t bytes = properties.Integer("producer.buffer.memory");  // or its default
  if (const auto own = kafka.producer.find("buffer.memory"); own != kafka.producer.end())
    static_cast<void>(absl::SimpleAtoi(own->second, &bytes));
  return {ChosenType(properties).build(properties, static_cast<size_t>(bytes))};
}

}  // namespace walduct::sink
