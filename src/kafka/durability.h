// What a producer must have so that an acknowledged record is never lost and equal keys keep their
// order, judged by what librdkafka finally holds: a setting has aliases, and `rdkafka.<name>` wins
// over every other spelling.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kafka/properties.h"

namespace walduct::kafka {

struct Violation {
  std::vector<absl::string_view> names;  // librdkafka's, the first is its own, the others aliases
  std::string value;
  std::string what;  // "must be all: …"
};

// native: librdkafka's names. transactional_id: ours; empty: none. Absent: all is well. Names that
// librdkafka does not know are ignored; InvalidArgument kafka_property_invalid for a value that it
// refuses.
absl::StatusOr<std::optional<Violation>> FindViolation(const Properties& native,
                                                       absl::string_view transactional_id);

// InvalidArgument kafka_property_invalid.
absl::Status CheckDurable(const Properties& native, absl::string_view transactional_id);

}  // namespace walduct::kafka
