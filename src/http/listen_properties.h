// The rows of this room's properties, and the struct they fill.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/properties/definition.h"
#include "config/properties/property_set.h"
#include "http/listen_options.h"

namespace walduct::http {

absl::Span<const config::PropertyDefinition> ListenProperties();

// HOST:PORT, or https://HOST:PORT.
absl::StatusOr<ListenOptions> ParseListen(absl::string_view text);

// Of checked properties.
ListenOptions BuildListen(const config::PropertySet& properties);

}  // namespace walduct::http
