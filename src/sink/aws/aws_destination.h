// AwsDestination: options of Kinesis, SQS or SNS as a target.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sink/aws/aws_sink.h"
#include "sink/sink_type.h"

namespace walduct::sink {

class AwsDestination final : public Destination {
 public:
  AwsDestination(const SinkType& type, AwsSinkOptions options)
      : type_(type), options_(std::move(options)) {}

  const SinkType& type() const override { return type_; }
  absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext& context) const override {
    return AwsSink::Create(options_, context.environment);
  }
  absl::Status AskServer(const Environment& environment, std::string* asked) const override {
    return AwsSink::Ask(options_, environment, {}, NeverStops, asked);
  }
  // Debezium Server's, under the working directory.
  std::string offset_file() const override { return "data/offsets.dat"; }

 private:
  const SinkType& type_;
  const AwsSinkOptions options_;
};

}  // namespace walduct::sink
