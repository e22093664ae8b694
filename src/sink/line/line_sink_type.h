// The rows of the sinks that write lines, and their options as targets.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sink/line/line_sink_options.h"
#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kFileSink;
extern const SinkType kStdoutSink;

class FileDestination final : public Destination {
 public:
  explicit FileDestination(FileSinkOptions options) : options_(std::move(options)) {}

  const SinkType& type() const override { return kFileSink; }
  absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext& context) const override;
  absl::Status CheckOutput() const override;
  std::string offset_file() const override { return options_.path + ".offsets"; }

 private:
  const FileSinkOptions options_;
};

class StdoutDestination final : public Destination {
 public:
  explicit StdoutDestination(StdoutSinkOptions options) : options_(std::move(options)) {}

  const SinkType& type() const override { return kStdoutSink; }
  absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext& context) const override;

 private:
  const StdoutSinkOptions options_;
};

}  // namespace walduct::sink
