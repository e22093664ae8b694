// Numbers as numeric_out writes them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "encode/values/read_context.h"

namespace walduct::encode {

// -?digits[.digits]. Borrows the text.
struct DecimalText {
  bool negative = false;
  absl::string_view whole;
  absl::string_view fraction;
};

// kOk, kMalformed, or kNoRoom: NaN and the infinities.
Outcome ParseDecimal(absl::string_view text, DecimalText* decimal);

// The unscaled value of a decimal at a scale that its fraction has room in. Answers borrow from
// *scratch.
//   digits  without sign and leading zeros, "0" for zero
//   bytes   two's complement, most significant byte first, as few as hold the sign
//           (BigInteger.toByteArray())
absl::string_view UnscaledDigits(const DecimalText& decimal, int32_t scale, Scratch* scratch);
absl::string_view UnscaledBytes(const DecimalText& decimal, int32_t scale, Scratch* scratch);

// All digits, without an exponent.
void AppendPlainDecimal(const DecimalText& decimal, int32_t scale, Scratch* scratch,
                        std::string* out);

// As BigDecimal.toString() of that scale; answers the end.
size_t MostOfJavaDecimal(const DecimalText& decimal, int32_t scale);
char* PutJavaDecimal(const DecimalText& decimal, int32_t scale, Scratch* scratch, char* to);

}  // namespace walduct::encode
