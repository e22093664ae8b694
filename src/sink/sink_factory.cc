#include "sink/sink_factory.h"

#include "base/check.h"
#include "sink/kafka_sink.h"
#include "sink/line_sink.h"

namespace walduct::sink {

absl::StatusOr<std::unique_ptr<Sink>> CreateSink(const SinkOptions& options,
                                                 const kafka::KafkaOptions& kafka,
                                                 const Environment& environment) {
  switch (options.kind) {
    case SinkKind::kKafka:
      return KafkaSink::Create(options, kafka, environment);
    case SinkKind::kStdout:
      return LineSink::ToStandardOutput(/*pretty=*/false, options.buffer_bytes);
    case SinkKind::kTerminal:
      return LineSink::ToStandardOutput(/*pretty=*/true, options.buffer_bytes);
    case SinkKind::kFile:
      return LineSink::ToFile(options.file_path, options.buffer_bytes);
  }
  CHECK(false);
  return absl::OkStatus();
}

}  // namespace walduct::sink
