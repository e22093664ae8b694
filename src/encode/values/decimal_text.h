// Numbers as numeric_out writes them.
#pragma once

#include "absl/strings/string_view.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

// -?digits[.digits]. Borrows the text.
struct DecimalText {
  bool negative = false;
  absl::string_view whole;
  absl::string_view fraction;
};

// kOk, kMalformed, or kNull: NaN and the infinities.
Outcome ParseDecimal(absl::string_view text, DecimalText* decimal);

// As a Connect Decimal of this scale; kMalformed when the text has more digits than it.
Outcome AppendScaledDecimal(const DecimalText& decimal, int32_t scale, ValueContext* context);

}  // namespace walduct::encode
