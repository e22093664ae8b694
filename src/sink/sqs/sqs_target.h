// SqsTarget: records as Debezium Server sends them to SQS: all to one queue, the value as the body.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sink/aws/aws_target.h"
#include "sink/aws/fifo_ids.h"

namespace walduct::sink {

class SqsTarget final : public AwsTarget {
 public:
  struct Options {
    aws::AwsOptions service;
    std::string queue = {}, letter_queue = {};  // URLs; the latter empty: none
    std::string group = "cdc-group";            // of a queue whose name ends in .fifo
    bool group_by_key = false;                  // goes before it
    std::string identity = {};                  // of the connector, in deduplication ids
  };

  explicit SqsTarget(Options options) : options_(std::move(options)), ids_(options_.identity) {}

  absl::string_view name() const override { return "SQS"; }
  const aws::AwsOptions& service() const override { return options_.service; }
  Limits limits() const override;
  absl::Status Address(const event::Record& record, AwsMessage* message) const override;
  size_t Size(const AwsMessage& message) const override { return message.sent().size(); }
  aws::Request Write(Messages messages) const override;
  absl::StatusOr<std::vector<absl::Status>> Read(const std::string& answer,
                                                 size_t messages) const override;
  absl::Status Ask(aws::Service& service, absl::Span<const std::string> topics,
                   std::string* found) const override;

 private:
  const Options options_;
  const DeduplicationIds ids_;
};

}  // namespace walduct::sink
