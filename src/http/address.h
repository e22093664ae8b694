// Where a listener listens. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::http {

struct Address {
  std::string host;  // a name or an address, IPv6 without brackets
  int port = 0;      // 0: any free one

  // "host:port", IPv6 in brackets.
  std::string ToString() const;
};

// "host:port", "[::1]:port", or ":port", which is every address of this machine. InvalidArgument
// says what is wrong.
absl::StatusOr<Address> ParseAddress(absl::string_view text);

}  // namespace walduct::http
