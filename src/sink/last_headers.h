// LastHeaders: the headers of a record as the producer takes them, made anew only where they differ
// from those of the record before: what Debezium adds is the same for all records of a connector.
// Data thread only.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "event/record.h"
#include "kafka/producer.h"

namespace walduct::sink {

class LastHeaders {
 public:
  // Valid until the next call.
  kafka::Headers* Of(absl::Span<const event::Header> headers);

 private:
  bool Are(absl::Span<const event::Header> headers) const;

  struct Kept {
    std::string name;
    std::string value;
    bool is_null = false;
  };
  std::vector<Kept> kept_;
  std::vector<kafka::HeaderText> texts_;  // views of kept_
  kafka::Headers made_;                   // of kept_
};

}  // namespace walduct::sink
