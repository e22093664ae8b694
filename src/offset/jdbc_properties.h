// The options of JdbcOffsetBackingStore of a set of properties.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::offset {

struct JdbcOptions;  // jdbc_options.h

// "" when value is the address of a PostgreSQL database for JDBC.
std::string CheckJdbcUrl(absl::string_view value);
// "" when value is a table's name as SQL has it, with its schema or without.
std::string CheckJdbcTable(absl::string_view value);

void CheckJdbc(const config::PropertySet& properties, config::Findings* findings);
// Of what has been checked. Secrets inside.
std::shared_ptr<const JdbcOptions> BuildJdbc(const config::PropertySet& properties);

}  // namespace walduct::offset
