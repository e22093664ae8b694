// A number alone as bytes: what the converters of org.apache.kafka.connect.converters write that
// are named after numbers of Java: big endian, a boolean as 0 or 1.
#pragma once

#include "base/out_buffer.h"
#include "event/connect_schema.h"
#include "event/scalar.h"

namespace walduct::encode {

// Appends a value of that type. False: it is of another kind.
bool AppendNumberBytes(const event::Scalar& value, event::ConnectType type, OutBuffer* out);

// "int32", for messages.
const char* NumberName(event::ConnectType type);

}  // namespace walduct::encode
