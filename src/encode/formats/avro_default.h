// Defaults as an Avro schema has them: JSON, with bytes and decimals as text of ISO-8859-1. Pure.
#pragma once

#include <string>

#include "event/connect_schema.h"

namespace walduct::encode {

enum class AvroFloats : uint8_t {
  kAsTheyAre,  // connect.default
  kWidened,    // a field's default: Avro keeps it as a double
};

// Text as Jackson writes it behind a Writer: nothing beyond U+FFFF is escaped.
void AppendAvroString(absl::string_view text, std::string* out);

// schema has a default.
void AppendAvroDefault(const event::ConnectSchema& schema, AvroFloats floats, std::string* out);

}  // namespace walduct::encode
