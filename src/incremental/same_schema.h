// Whether two descriptions of a table say the same. Pure.
#pragma once

#include "event/table_schema.h"

namespace walduct::incremental {

bool SameSchema(const event::TableSchema& a, const event::TableSchema& b);

}  // namespace walduct::incremental
