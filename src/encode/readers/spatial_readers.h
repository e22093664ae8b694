// point, geometry and geography, as Debezium's structs.
#pragma once

#include <array>
#include <optional>

#include "absl/strings/string_view.h"
#include "encode/values/geometric_text.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

template <typename Writer>
Outcome ReadPoint(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  double x = 0, y = 0;
  if (!ParsePoint(text, &x, &y)) return Outcome::kMalformed;
  std::array<char, kPointWkbSize> wkb;
  PutPointWkb(x, y, wkb.data());
  out->BeginStruct();
  out->Field(0, "x", Need::kRequired);
  out->Double(x);
  out->Field(1, "y", Need::kRequired);
  out->Double(y);
  out->Field(2, "wkb", Need::kOptional);
  out->Bytes(absl::string_view(wkb.data(), wkb.size()));
  out->NullField(3, "srid", Need::kOptional);
  out->EndStruct();
  return Outcome::kOk;
}

// wkb is the EWKB as it is, the SRID in it included.
template <typename Writer>
Outcome ReadGeometry(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  if (text.size() < 2 * kShortestEwkb) return Outcome::kMalformed;
  out->BeginStruct();
  out->Field(0, "wkb", Need::kRequired);
  if (!out->HexBytes(text)) return Outcome::kMalformed;
  if (const std::optional<int32_t> srid = SridOf(text)) {
    out->Field(1, "srid", Need::kOptional);
    out->Integer(*srid);
  } else {
    out->NullField(1, "srid", Need::kOptional);
  }
  out->EndStruct();
  return Outcome::kOk;
}

}  // namespace walduct::encode
