// CloudEvent: the value of a template as Debezium's CloudEventsConverter sees it: a struct of
// attributes, with the rows in `data`. What becomes bytes of it is a converter's matter.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "encode/options/cloud_events_options.h"
#include "event/record_template.h"

namespace walduct::encode {

struct CloudEvent {
  event::Node event;  // without data
  event::Node data;   // a value of its own

  // The event with its data, as `last` has it.
  event::Node With(event::Node last) const;
};

struct CloudEventShape {
  bool avro_data = false;
  event::ValueFunctionPtr schema_uri = nullptr;  // of the attribute dataschema; null: none
};

// headers: of the same template. nullopt: such a record's value is null.
//   InvalidArgument  the converter cannot write such a record
absl::StatusOr<std::optional<CloudEvent>> MakeCloudEvent(const event::Node& value,
                                                         const std::vector<event::Node>& headers,
                                                         const CloudEventsOptions& options,
                                                         const CloudEventShape& shape);

}  // namespace walduct::encode
