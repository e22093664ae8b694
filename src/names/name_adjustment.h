// schema.name.adjustment.mode and field.name.adjustment.mode: names made fit for Avro. What Avro
// does not allow becomes '_', or '_u' and the hexadecimal number of its UTF-16 unit; the latter
// escapes '_' itself too. Pure; thread-safe.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::names {

enum class NameAdjustment { kNone, kAvro, kAvroUnicode };

// Dots stay: they separate the parts of a schema's name.
std::string AdjustSchemaName(absl::string_view name, NameAdjustment mode);
// Dots are replaced like any other character.
std::string AdjustFieldName(absl::string_view name, NameAdjustment mode);

}  // namespace walduct::names
