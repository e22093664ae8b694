#include "sink/sink_factory.h"

#include "sink/kafka_sink.h"
#include "sink/line_sink.h"
#include "sink/options.h"

namespace walduct::sink {
namespace {

using Opened = absl::StatusOr<std::unique_ptr<Sink>>;

// One for each sink: the compiler finds a missing one.
struct Open {
  const kafka::KafkaOptions& kafka;
  const Environment& environment;
  Refusals* refusals;

  Opened operator()(const KafkaSinkOptions& options) const {
    return KafkaSink::Create(options, kafka, environment, refusals);
  }
  Opened operator()(const FileSinkOptions& options) const { return LineSink::ToFile(options); }
  Opened operator()(const StdoutSinkOptions& options) const {
    return LineSink::ToStandardOutput(options);
  }
};

}  // namespace

Opened CreateSink(const SinkOptions& options, const kafka::KafkaOptions& kafka,
                  const Environment& environment, Refusals* refusals) {
  return std::visit(Open{kafka, environment, refusals}, options.target);
}

}  // namespace walduct::sink
