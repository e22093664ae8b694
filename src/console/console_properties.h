// The rows of this room's properties, and the struct they fill.
#pragma once

#include "absl/types/span.h"
#include "config/properties/definition.h"
#include "config/properties/property_set.h"
#include "console/console_options.h"

namespace walduct::console {

absl::Span<const config::PropertyDefinition> ConsoleProperties();

// Of checked properties.
ConsoleOptions BuildConsole(const config::PropertySet& properties);

}  // namespace walduct::console
