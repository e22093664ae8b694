// PostgreSQL's own geometric types and EWKB as text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::encode {

// (x,y)
bool ParsePoint(absl::string_view text, double* x, double* y);

// Well-known binary of a point: byte order 1 (little endian), type 1, the coordinates.
inline constexpr size_t kPointWkbSize = 21;
void PutPointWkb(double x, double y, char* to);

// The text of a geometric type with each number as Java prints it. Replaces *out.
bool ToJavaNumbers(absl::string_view text, std::string* out);

// Hexadecimal EWKB is at least so long.
inline constexpr size_t kShortestEwkb = 9;
// The SRID in hexadecimal EWKB; absent: it has none.
std::optional<int32_t> SridOf(absl::string_view hex);

}  // namespace walduct::encode
