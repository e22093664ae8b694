// AvroShape: what of an Avro schema decides the bytes of a value: types, names and order of fields,
// the branches of unions; not its attributes, documentation and defaults. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::registry {

// Equal for two schemas of the same bytes; the name of a record at the top does not count. Empty:
// the text is not an Avro schema.
std::string AvroShape(absl::string_view schema);

}  // namespace walduct::registry
