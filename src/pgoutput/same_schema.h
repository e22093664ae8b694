// Whether two schemas say the same, types included. The server repeats a Relation message after
// every invalidation of its cache, a plain ANALYZE can be enough; plans compiled from an unchanged
// schema should survive that.
#pragma once

#include "event/table_schema.h"

namespace walduct::pgoutput {

bool SameSchema(const event::TableSchema& a, const event::TableSchema& b);

}  // namespace walduct::pgoutput
