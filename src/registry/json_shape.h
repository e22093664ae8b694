// JsonShape: what of a JSON Schema decides the values: types, names of properties, items, what may
// be null; not titles, descriptions, defaults, the order of properties and other attributes. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::registry {

// Equal for two schemas of the same values. Empty: the text is not a JSON Schema.
std::string JsonShape(absl::string_view schema);

}  // namespace walduct::registry
