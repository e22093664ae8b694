// ProtobufShape: what of a Protobuf schema decides the bytes of a value: messages, and the fields'
// labels, types, names and numbers; not options, imports, comments and the package. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::registry {

// Equal for two schemas of the same bytes.
std::string ProtobufShape(absl::string_view schema);

}  // namespace walduct::registry
