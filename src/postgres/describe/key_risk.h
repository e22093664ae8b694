// Whether rows can share the key that stands in for a primary key: Debezium takes any unique index,
// also one that does not cover all rows. Pure. Used where the catalog is asked about keys.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::postgres {

// The index columns that are compared: without those of INCLUDE.
absl::string_view KeyColumnCount(int server_version);

// SQL: why rows can share the index `k`, which has the columns of pg_index and relname:
// "unique index live (its WHERE leaves rows out)"; '' when they cannot.
std::string KeyRiskSql(int server_version);

}  // namespace walduct::postgres
