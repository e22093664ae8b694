#include "sink/line/line_sink_type.h"

#include "sink/line/line_sink.h"
#include "sink/line/line_sink_properties.h"

namespace walduct::sink {
namespace {

std::shared_ptr<Destination> BuildFile(const config::PropertySet& properties, size_t buffer_bytes) {
  FileSinkOptions options = BuildFileSink(properties);
  options.buffer_bytes = buffer_bytes;
  return std::make_shared<FileDestination>(std::move(options));
}

std::shared_ptr<Destination> BuildStdout(const config::PropertySet&, size_t buffer_bytes) {
  return std::make_shared<StdoutDestination>(StdoutSinkOptions{.buffer_bytes = buffer_bytes});
}

// What is written to /dev/null needs none.
bool FileHasOneWriter(const config::PropertySet& properties) {
  return properties.Text("sink.file.path") != "/dev/null";
}

std::vector<FixedPlace> FilePlaces(const PropertyText&) { return {{"sink.file.path"}}; }

bool StdoutHasOneWriter(const config::PropertySet&) { return true; }

}  // namespace

constinit const SinkType kFileSink = {
    .name = "file",
    .traits = {.store = SinkTraits::Store::kBesideOutput, .local = true},
    .section = "walduct's own",
    .rows = FileSinkProperties,
    .check = CheckFileSink,
    .one_writer = FileHasOneWriter,
    .places = FilePlaces,
    .build = BuildFile,
};

constinit const SinkType kStdoutSink = {
    .name = "stdout",
    .traits = {.store = SinkTraits::Store::kMemory, .terminal = true, .local = true},
    .section = "walduct's own",
    .one_writer = StdoutHasOneWriter,
    .build = BuildStdout,
};

absl::StatusOr<std::unique_ptr<Sink>> FileDestination::Open(const SinkContext&) const {
  return LineSink::ToFile(options_);
}

absl::Status FileDestination::CheckOutput() const { return LineSink::CheckFile(options_); }

absl::StatusOr<std::unique_ptr<Sink>> StdoutDestination::Open(const SinkContext&) const {
  return LineSink::ToStandardOutput(options_);
}

}  // namespace walduct::sink
