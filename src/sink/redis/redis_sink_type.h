// Redis's row, and its options as a target.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sink/redis/redis_sink_options.h"
#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kRedisSink;

class RedisDestination final : public Destination {
 public:
  explicit RedisDestination(RedisSinkOptions options) : options_(std::move(options)) {}

  const SinkType& type() const override { return kRedisSink; }
  absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext& context) const override;
  absl::Status AskServer(const Environment& environment, std::string* asked) const override;
  // Debezium Server's, under the working directory.
  std::string offset_file() const override { return "data/offsets.dat"; }

 private:
  const RedisSinkOptions options_;
};

}  // namespace walduct::sink
