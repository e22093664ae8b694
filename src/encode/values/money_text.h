// Money as lc_monetary of C and the English locales print it: [-]symbol digits[,ddd…][.digits].
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "encode/values/decimal_text.h"
#include "encode/values/read_context.h"

namespace walduct::encode {

// Plain decimal text in scratch->entry_text, and its parts, which borrow from there. False: in
// another locale these would be separators of other things.
bool ParseMoney(absl::string_view text, Scratch* scratch, DecimalText* decimal);

// Of what ParseMoney has left: half up to `scale` digits of the fraction, if there are more.
bool RoundMoney(int32_t scale, Scratch* scratch, DecimalText* decimal);

}  // namespace walduct::encode
