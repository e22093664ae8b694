#include "java/number/narrowing.h"

#include <cmath>
#include <limits>

namespace walduct::java {

int64_t Narrowed(int64_t value, int bits) {
  switch (bits) {
    case 8:
      return static_cast<int8_t>(value);
    case 16:
      return static_cast<int16_t>(value);
    case 32:
      return static_cast<int32_t>(value);
    default:
      return value;
  }
}

int64_t IntegerOfDouble(double value, int bits) {
  if (std::isnan(value)) return 0;
  const double limit = bits == 64 ? 9223372036854775808.0 : 2147483648.0;
  if (value >= limit)
    return Narrowed(bits == 64 ? std::numeric_limits<int64_t>::max() : 2147483647, bits);
  if (value < -limit)
    return Narrowed(bits == 64 ? std::numeric_limits<int64_t>::min() : -2147483648LL, bits);
  return Narrowed(static_cast<int64_t>(value), bits);
}

}  // namespace walduct::java
