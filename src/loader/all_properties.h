// The table of every property walduct knows: the rows of all rooms in the order of
// docs/configuration.md.
#pragma once

#include "config/properties/property_table.h"

namespace walduct::loader {

// Built on first use; lives as long as the process. Thread-safe.
const config::PropertyTable& AllProperties();

}  // namespace walduct::loader
