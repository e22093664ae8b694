// The options of JdbcOffsetBackingStore of a set of properties.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "offset/jdbc_offset_store.h"

namespace walduct::offset {

// "" when value is the address of a PostgreSQL database for JDBC.
std::string CheckJdbcUrl(absl::string_view value);
// "" when value is a table's name as SQL has it, with its schema or without.
std::string CheckJdbcTable(absl::string_view value);

void CheckJdbc(const config::PropertySet& properties, config::Findings* findings);
// Of what has been checked.
JdbcOptions BuildJdbc(const config::PropertySet& properties);

}  // namespace walduct::offset
