// SnsTarget: records as Debezium Server publishes them to SNS: a string as its text, headers as
// attributes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sink/aws/aws_target.h"
#include "sink/aws/fifo_ids.h"

namespace walduct::sink {

class SnsTarget final : public AwsTarget {
 public:
  struct Options {
    aws::AwsOptions service;
    std::string prefix = {}, topic = {}, letter_topic = {};  // ARNs; empty: none
    std::string group_header = "aggregateId", id_header = {}, group = "default";
    bool json_value = true, json_headers = true;  // whose strings are to become text
    bool skips_null_headers = false;              // false: no record may have one
    std::string identity = {};                    // of the connector, in deduplication ids
  };

  explicit SnsTarget(Options options) : options_(std::move(options)), ids_(options_.identity) {}

  absl::string_view name() const override { return "SNS"; }
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
  std::string ArnOf(absl::string_view topic) const;
  std::string HeaderOf(const event::Header& header) const;
  std::string HeaderNamed(const event::Record& record, const std::string& name) const;

  const Options options_;
  const DeduplicationIds ids_;
};

}  // namespace walduct::sink
