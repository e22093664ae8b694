// Which tables a statement of the configuration writes. Pure.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::replication {

// The table is what the statement inserts into, updates, merges into or deletes from, as far as its
// words say. Without a schema in the statement it is that table in any.
bool Writes(absl::string_view statement, absl::string_view schema, absl::string_view table);

}  // namespace walduct::replication
