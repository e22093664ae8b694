// Version of the PostgreSQL client library in use.
#pragma once

#include <string>

namespace walduct::postgres {

std::string LibraryVersion();  // "15.20"

}  // namespace walduct::postgres
