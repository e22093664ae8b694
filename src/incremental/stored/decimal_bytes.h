// A decimal number as Java keeps it: an integer of any size as bytes, and a scale. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::incremental {

struct DecimalBytes {
  int32_t scale = 0;
  int32_t sign = 0;       // -1, 0, 1
  std::string magnitude;  // big-endian, without leading zeros
};

// Absent: no number with digits (NaN, Infinity).
std::optional<DecimalBytes> ParseDecimal(absl::string_view text);
std::string PrintDecimal(const DecimalBytes& decimal);

}  // namespace walduct::incremental
