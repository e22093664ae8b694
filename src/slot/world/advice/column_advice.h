// What a start says of columns, by the catalog: keys that rows can share, entries of lists that
// match none. Advice: it never stops a start.
#pragma once

#include <vector>

#include "engine/errors/warn_once.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::engine {
struct ConnectorOptions;
}

namespace walduct::slot {

struct CaptureRecord;

// record: what is remembered of columns; null: nothing is.
void WarnOfColumns(const engine::ConnectorOptions& config, postgres::Connection& connection,
                   postgres::Catalog& catalog, const std::vector<postgres::TableName>& captured,
                   const CaptureRecord* record, engine::WarnOnce* warn_once);

}  // namespace walduct::slot
