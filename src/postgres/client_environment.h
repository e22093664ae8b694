// The environment variables that libpq reads where a connection parameter is absent.
#pragma once

#include <string>
#include <vector>

namespace walduct::postgres {

// Removes them from the environment of the process; the names of those that were set, sorted. libpq
// has no parameter that means "none" for some of them (hostaddr, service). Not thread-safe.
std::vector<std::string> RemoveEnvironment();

}  // namespace walduct::postgres
