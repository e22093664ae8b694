// The linked librdkafka: its version, and what it was built with.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::kafka {

std::string LibraryVersion();  // "2.15.1"

// One of builtin.features: "ssl", "sasl_scram", "sasl_gssapi", …
bool HasFeature(absl::string_view feature);

}  // namespace walduct::kafka
