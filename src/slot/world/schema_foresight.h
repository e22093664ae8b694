// The schemas that records of the captured tables will have, told to the registries of the
// converters before the first row, so that a refusal is found then and not by a row. Reads the
// catalog, registers nothing.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "postgres/describe/catalog.h"
#include "slot/world/preview/row_preview.h"

namespace walduct::slot {

// parts.ids: of the registries. Tables whose topics or records depend on values (outbox) are left
// out, as are those beyond the first thousand. Errors: those of the catalog.
absl::Status ForeseeSchemas(RowPreview::Parts parts, postgres::Catalog& catalog,
                            const std::vector<postgres::TableName>& captured);

}  // namespace walduct::slot
