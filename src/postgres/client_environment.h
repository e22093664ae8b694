// What libpq finds around the process: variables that it reads where a connection parameter is
// absent, and Kerberos.
#pragma once

#include <string>
#include <vector>

namespace walduct::postgres {

// Removes them from the environment of the process; the names of those that were set, sorted. libpq
// has no parameter that means "none" for some of them (hostaddr, service). Not thread-safe.
std::vector<std::string> RemoveEnvironment();

// Whether there may be tickets of Kerberos: its configuration, or a file or variable that tells
// where they are. Where there are none, asking for them costs libpq a megabyte of code in memory.
//   root   of the file system
bool HasKerberos(const std::string& root = "");

}  // namespace walduct::postgres
