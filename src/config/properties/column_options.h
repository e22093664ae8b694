// The properties whose names carry what to do with columns, and column lists.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/options/options.h"
#include "config/properties/property_set.h"

namespace walduct::config {

// "" when the name of a column.mask.*, column.truncate.* property can be understood, else what is
// wrong with it.
std::string CheckColumnMaskName(absl::string_view name);

ColumnOptions BuildColumns(const PropertySet& properties);

}  // namespace walduct::config
