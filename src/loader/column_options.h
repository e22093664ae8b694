// The properties whose names carry what to do with columns, and column lists.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/property_set.h"
#include "encode/options/column_options.h"

namespace walduct::loader {

// "" when the name of a column.mask.*, column.truncate.* property can be understood, else what is
// wrong with it.
std::string CheckColumnMaskName(absl::string_view name);

encode::ColumnOptions BuildColumns(const config::PropertySet& properties);

}  // namespace walduct::loader
