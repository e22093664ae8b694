// Whether the tables that somebody names are there. Asks the database, changes nothing.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/environment.h"

namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::postgres {
struct DatabaseOptions;
}

namespace walduct::operate {

// Each of these has to match one table at least; they are written as in table.include.list.
//   InvalidArgument table_not_found, with names that are near; others as the connection's
// filter: of the connector, whose other lists hold.
absl::Status CheckTables(const postgres::DatabaseOptions& database,
                         const names::TableFilterOptions& filter,
                         const std::vector<std::string>& tables, const Environment& environment);

// What is said of one that matches none of these, "schema.table" each.
absl::Status TableNotFound(const std::string& table, const std::string& database,
                           const std::vector<std::string>& there);

}  // namespace walduct::operate
