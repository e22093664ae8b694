// The columns of captured tables as the catalog has them now, for slot/masks.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "slot/masks/known_columns.h"

namespace walduct::slot {

class ColumnCover;

// Of those tables that are watched, or that were: known, by OID or name. One question, and one for
// each type that their columns have.
absl::StatusOr<std::vector<KnownColumns>> ReadWatchedColumns(
    postgres::Connection& connection, postgres::Catalog& catalog,
    const std::vector<postgres::TableName>& captured, const ColumnCover& cover,
    const std::vector<KnownColumns>& known);

}  // namespace walduct::slot
