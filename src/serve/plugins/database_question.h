// The checks of a database before a connector is created.
#pragma once

#include <string>

#include "base/environment.h"

namespace walduct::postgres {
struct DatabaseOptions;
}  // namespace walduct::postgres

namespace walduct::serve {

// Connects once. What is wrong with the database, in PostgreSQL's words as its Java driver prints
// them; "" when nothing is.
std::string AskDatabase(const postgres::DatabaseOptions& database, const Environment& environment);

}  // namespace walduct::serve
