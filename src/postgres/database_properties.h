// The properties that say how PostgreSQL is reached: their rows, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::postgres {

struct DatabaseOptions;

absl::Span<const config::PropertyDefinition> ConnectionProperties();
// Of the Java driver, and lists of databases.
absl::Span<const config::PropertyDefinition> DriverProperties();
absl::Span<const config::PropertyDefinition> ConnectTimeoutProperties();

// A list of databases must not leave out the one that is read.
void CheckDatabases(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
DatabaseOptions BuildDatabase(const config::PropertySet& properties);

}  // namespace walduct::postgres
