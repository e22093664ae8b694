// Numbers of bytes as people read them, everywhere in the same way: log, status, messages; the
// console has the same rule (console/assets/format.js).
#pragma once

#include <string>

namespace walduct {

// In units of 1024 bytes, one digit behind the point below 100: "133 kB", "8.0 MB", "56 B".
std::string AmountText(double bytes);

template <typename Number>
std::string BytesText(Number bytes) {
  return AmountText(static_cast<double>(bytes));
}

}  // namespace walduct
