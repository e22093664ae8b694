// Need: what a schema says of a value that may be missing. It decides the order of Avro's unions:
// null is first, and last where there is a default.
#pragma once

#include <cstdint>

#include "event/connect_schema.h"

namespace walduct::encode {

enum class Need : uint8_t { kRequired, kOptional, kOptionalWithDefault };

inline Need NeedOf(bool optional) { return optional ? Need::kOptional : Need::kRequired; }

// Null: a schemaless value.
inline Need NeedOf(const event::ConnectSchema* schema) {
  if (schema == nullptr) return Need::kOptional;
  if (!schema->optional) return Need::kRequired;
  return schema->default_value ? Need::kOptionalWithDefault : Need::kOptional;
}

}  // namespace walduct::encode
