// Where a process listens, if it does. Immutable once built.
#pragma once

#include <optional>

#include "http/address.h"

namespace walduct::http {

struct ListenOptions {
  std::optional<Address> address;
  bool encrypted = false;  // https
};

}  // namespace walduct::http
