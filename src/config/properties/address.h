// Addresses of servers as people write them, for validators. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::config {

// "::1", "fe80::1%eth0"; without brackets.
bool IsAddress6(absl::string_view host);
// Why "host:port", "[::1]:port", or the same without a port, is none; empty: it is one. What stands
// there may be a name: whether there is such a host is not asked. The text of the address, which
// may hold a password, is not in the answer.
std::string CheckHostAndPort(absl::string_view address);

}  // namespace walduct::config
