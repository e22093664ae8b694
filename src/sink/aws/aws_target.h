// AwsTarget: what differs between Kinesis, SQS and SNS: what is sent, and what the answer says.
// Nothing here decides what is sent again. Immutable; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "aws/service.h"
#include "event/record.h"
#include "sink/aws/aws_message.h"

namespace walduct::sink {

class AwsTarget {
 public:
  // Of one request.
  struct Limits {
    size_t records = 10;
    size_t bytes = 0;         // of all of it together
    size_t record_bytes = 0;  // what is larger and refused is so for its size
  };
  using Messages = absl::Span<const AwsMessage* const>;

  virtual ~AwsTarget() = default;

  virtual absl::string_view name() const = 0;  // "Kinesis"
  virtual const aws::AwsOptions& service() const = 0;
  virtual Limits limits() const = 0;

  // Sets all but the copy of the record, which comes afterwards. InvalidArgument: it can never be
  // sent.
  virtual absl::Status Address(const event::Record& record, AwsMessage* message) const = 0;
  // Bytes that count against the limits.
  virtual size_t Size(const AwsMessage& message) const = 0;
  // All of one destination.
  virtual aws::Request Write(Messages messages) const = 0;
  // One for each, OK or EntryError's. Unavailable: it is no such answer.
  virtual absl::StatusOr<std::vector<absl::Status>> Read(const std::string& answer,
                                                         size_t messages) const = 0;

  // Whether it can be reached, and takes what is sent: at a start, and for doctor. topics: known by
  // now. *found: of what there is, for messages.
  virtual absl::Status Ask(aws::Service& service, absl::Span<const std::string> topics,
                           std::string* found) const = 0;
};

}  // namespace walduct::sink
