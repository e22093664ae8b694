// The schemas that records of the captured tables will have, told to the registries of the
// converters before the first row, so that a refusal is found then and not by a row. Reads the
// catalog, registers nothing.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "event/schema_ids.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"

namespace walduct::engine {

struct ConnectorOptions;

// Tables whose topics or records depend on values (outbox) are left out, as are those beyond the
// first thousand. Errors: those of the connection.
absl::Status ForeseeSchemas(const ConnectorOptions& config, const event::SchemaIdSources& ids,
                            postgres::Connection& connection, postgres::Catalog& catalog,
                            const std::vector<postgres::TableName>& captured);

}  // namespace walduct::engine
