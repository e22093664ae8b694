// Geometries as bytes: WKB, and PostGIS' EWKB, whose type may carry flags for Z, M and an SRID
// behind it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::transform {

// Has an SRID inside. False for less than a type.
bool HasInnerSrid(absl::string_view wkb);

// Each appends to *out. An error: the bytes are not such a geometry; out may have grown.

// ewkb: HasInnerSrid.
absl::Status AppendWithoutSrid(absl::string_view ewkb, std::string* out);
// wkb: not HasInnerSrid.
absl::Status AppendWithSrid(absl::string_view wkb, int32_t srid, std::string* out);
// x for y in each coordinate. Points, lines, polygons, several of them, collections; what follows
// the geometry is left out.
absl::Status AppendSwapped(absl::string_view wkb, std::string* out);

}  // namespace walduct::transform
