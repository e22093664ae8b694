#include "sink/sink_properties.h"

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "sink/kafka_sink_properties.h"
#include "sink/line_sink_properties.h"

namespace walduct::sink {
namespace {

constexpr config::PropertyDefinition kSink[] = {
    {.name = "sink",
     .type = config::PropertyType::kEnum,
     .default_value = "kafka",
     .doc = "Destination of records: Kafka, or one JSON object per record to standard output or a "
            "file.",
     .allowed = "kafka, stdout, file",
     .fix = "the default is 'kafka'; docs/not-yet.md says what to use for other destinations"},
};

SinkOptions Choose(const config::PropertySet& properties) {
  const std::string name = properties.Text("sink");
  if (name == "file") return {BuildFileSink(properties)};
  if (name == "stdout") return {StdoutSinkOptions{}};
  return {BuildKafkaSink(properties)};
}

}  // namespace

absl::Span<const config::PropertyDefinition> SinkProperties() { return kSink; }

SinkOptions BuildSink(const config::PropertySet& properties, const kafka::KafkaOptions& kafka) {
  SinkOptions options = Choose(properties);
  int64_t bytes = properties.Integer("producer.buffer.memory");  // or its default
  if (const auto own = kafka.producer.find("buffer.memory"); own != kafka.producer.end())
    static_cast<void>(absl::SimpleAtoi(own->second, &bytes));
  std::visit([&](auto& target) { target.buffer_bytes = static_cast<size_t>(bytes); },
             options.target);
  return options;
}

}  // namespace walduct::sink
