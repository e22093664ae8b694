// Arithmetic on integers that the language does not have. Pure.
#pragma once

#include <cstdint>

namespace walduct {

// The quotient rounded down, as Java's Math.floorDiv: -1 / 1000 is -1. by > 0.
constexpr int64_t FloorDivide(int64_t value, int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

}  // namespace walduct
