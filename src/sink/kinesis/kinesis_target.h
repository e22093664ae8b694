// KinesisTarget: records as Debezium Server puts them into Kinesis: stream = topic, partition key =
// key, data = value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sink/aws/aws_target.h"

namespace walduct::sink {

class KinesisTarget final : public AwsTarget {
 public:
  struct Options {
    aws::AwsOptions service;
    std::string null_key = "default";
    size_t batch_size = 500;
  };

  explicit KinesisTarget(Options options) : options_(std::move(options)) {}

  absl::string_view name() const override { return "Kinesis"; }
  const aws::AwsOptions& service() const override { return options_.service; }
  Limits limits() const override;
  absl::Status Address(const event::Record& record, AwsMessage* message) const override;
  size_t Size(const AwsMessage& message) const override;
  aws::Request Write(Messages messages) const override;
  absl::StatusOr<std::vector<absl::Status>> Read(const std::string& answer,
                                                 size_t messages) const override;
  absl::Status Ask(aws::Service& service, absl::Span<const std::string> topics,
                   std::string* found) const override;

 private:
  const std::string& KeyOf(const AwsMessage& message) const {
    return message.order.empty() ? options_.null_key : message.order;
  }

  const Options options_;
};

}  // namespace walduct::sink
