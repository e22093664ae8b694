// RabbitMQ's row, and its options as a target.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sink/rabbitmq/rabbitmq_sink_options.h"
#include "sink/sink_type.h"

namespace walduct::sink {

extern const SinkType kRabbitMqSink;

class RabbitMqDestination final : public Destination {
 public:
  explicit RabbitMqDestination(RabbitMqSinkOptions options) : options_(std::move(options)) {}

  const SinkType& type() const override { return kRabbitMqSink; }
  absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext& context) const override;
  absl::Status AskServer(const Environment& environment, std::string* asked) const override;
  // Debezium Server's, under the working directory.
  std::string offset_file() const override { return "data/offsets.dat"; }
  void Tolerate(const Tolerance& tolerance) override {
    options_.letters = tolerance.dead_letter_topic;
  }

 private:
  RabbitMqSinkOptions options_;
};

}  // namespace walduct::sink
