// What a new version of a table's schema says that the one before it did not, for the log. Pure.
#pragma once

#include <string>

#include "event/table_schema.h"

namespace walduct::slot {

// "column added: note text; column dropped: v"; empty when columns and key are as before. A column
// in the place of another of the same type counts as renamed.
std::string DescribeChanges(const event::TableSchema& before, const event::TableSchema& now);

}  // namespace walduct::slot
