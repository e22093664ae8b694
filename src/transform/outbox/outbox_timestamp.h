// The timestamp of an outbox event's record. Pure.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "event/record_template.h"

namespace walduct::transform {

// column: table.field.event.timestamp, empty when there is none. clock: milliseconds that take its
// place where it is empty or NULL; may be null. Timestamps with and without time zone can be; other
// types are an error, as nothing says what they mean.
absl::StatusOr<std::optional<event::Node>> EventTimestamp(const std::string& column,
                                                          const event::Node& row,
                                                          const event::Node* clock);

}  // namespace walduct::transform
