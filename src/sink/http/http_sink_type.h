// HTTP's row, and its options as a target.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sink/http/http_sink_options.h"
#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kHttpSink;

class HttpDestination final : public Destination {
 public:
  explicit HttpDestination(HttpSinkOptions options) : options_(std::move(options)) {}

  const SinkType& type() const override { return kHttpSink; }
  absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext& context) const override;
  absl::Status CheckOutput() const override;
  absl::Status AskServer(const Environment& environment, std::string* asked) const override;
  // Debezium Server's, under the working directory.
  std::string offset_file() const override { return "data/offsets.dat"; }

 private:
  const HttpSinkOptions options_;
};

}  // namespace walduct::sink
