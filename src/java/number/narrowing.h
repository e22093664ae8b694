// How Java makes integers of wider numbers (Java Language Specification 5.1.3). Pure.
#pragma once

#include <cstdint>

namespace walduct::java {

// The low bits, as Java narrows integers.
int64_t Narrowed(int64_t value, int bits);

// (int) or (long) of a double: towards zero, NaN is 0, too large is the limit; bytes and shorts go
// through int.
int64_t IntegerOfDouble(double value, int bits);

}  // namespace walduct::java
