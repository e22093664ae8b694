#include "sink/sink_factory.h"

#include "base/check.h"
#include "sink/kafka_sink.h"
#include "sink/line_sink.h"

namespace walduct::sink {

absl::StatusOr<std::unique_ptr<Sink>> CreateSink(const config::SinkOptions& options,
                                                 const config::KafkaOptions& kafka,
                                                 const Environment& environment) {
  switch (options.kind) {
    case config::SinkKind::kKafka:
      return KafkaSink::Create(options, kafka, environment);
    case config::SinkKind::kStdout:
      return LineSink::ToStandardOutput(/*pretty=*/false, options.buffer_bytes);
    case config::SinkKind::kTerminal:
      return LineSink::ToStandardOutput(/*pretty=*/true, options.buffer_bytes);
    case config::SinkKind::kFile:
      return LineSink::ToFile(options.file_path, options.buffer_bytes);
  }
  CHECK(false);
  return absl::OkStatus();
}

}  // namespace walduct::sink
