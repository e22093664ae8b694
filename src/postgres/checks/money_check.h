// Money is stored as a count of its smallest unit, and lc_monetary says how many of them make one:
// 100, but 1 for yen and 1000 for dinars. Our sessions read it as "C" does, in hundredths; where
// the database counts otherwise that would be another sum.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::postgres {

struct DatabaseOptions;

// FailedPrecondition "money_units" when a captured table has a money column that is published
// (asked for as schema.table.column) and the role's sessions in this database do not count in
// hundredths. Opens a session for a moment when there is such a column.
absl::Status CheckMoneyUnits(Connection& connection, const DatabaseOptions& database,
                             const std::vector<TableName>& tables,
                             absl::FunctionRef<bool(absl::string_view)> published);

// one: cash_send of 1, in hexadecimal digits.
absl::Status JudgeMoneyUnits(absl::string_view one, absl::string_view locale,
                             absl::string_view column);

}  // namespace walduct::postgres
