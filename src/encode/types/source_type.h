// What Debezium knows of a column's SQL type through JDBC: its name, length and scale. They appear
// in propagated schema parameters, and the length decides whether a text can be longer than a
// limit. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "event/table_schema.h"

namespace walduct::encode {

struct SourceType {
  std::string name;  // pg_type.typname of the column's own type: "int4", "_text", a domain's name
  int32_t length = 0;
  std::optional<int32_t> scale;
};

// A numeric without modifier, and an integer with a sequence ("serial"), are told differently by
// the metadata of a snapshot and by those of the stream.
SourceType SourceTypeOf(const event::Column& column, bool snapshot);

// Is it one of the types that masks apply to: text, varchar, bpchar, "char", name, an enum, or a
// domain over one of them?
bool IsCharacterType(const event::Type& type);

}  // namespace walduct::encode
