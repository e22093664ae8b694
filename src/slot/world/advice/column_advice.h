// What a start says of columns, by the catalog: keys that rows can share, entries of lists that
// match none. Advice: it never stops a start.
#pragma once

#include <vector>

#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::slot {

struct SourceOptions;

void WarnOfColumns(const SourceOptions& options, postgres::Connection& connection,
                   postgres::Catalog& catalog, const std::vector<postgres::TableName>& captured);

}  // namespace walduct::slot
