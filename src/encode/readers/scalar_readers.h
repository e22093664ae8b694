// Texts, booleans and numbers of fixed size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "encode/values/digits.h"
#include "encode/values/float_text.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

// As PostgreSQL prints them: -?(0|[1-9][0-9]*).
// False: no such text, or beyond 64 bits.
inline bool ParseInteger(absl::string_view text, int64_t* value) {
  constexpr size_t kMostDigits = 19;  // which 64 bits without a sign hold
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  const bool negative = !text.empty() && text[0] == '-';
  const size_t sign = negative ? 1 : 0;
  const size_t size = text.size() - sign;
  if (size == 0 || size > kMostDigits || (text[sign] == '0' && text.size() > 1)) return false;
  uint64_t number = 0;
  if (!ReadDigits(text.substr(sign), &number)) return false;
  *value = static_cast<int64_t>(negative ? 0 - number : number);
  return number < kLimit || (negative && number == kLimit);
}

template <typename Writer>
Outcome ReadString(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  out->String(text);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadSnapshotString(absl::string_view text, const ValuePlan&, ReadContext* context,
                           Writer* out) {
  if (context->streaming) return Outcome::kAbsent;
  out->String(text);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadNothing(absl::string_view, const ValuePlan&, ReadContext*, Writer*) {
  return Outcome::kNoRoom;
}

template <typename Writer>
Outcome ReadBoolean(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  if (text != "t" && text != "f") return Outcome::kMalformed;
  out->Boolean(text[0] == 't');
  return Outcome::kOk;
}

template <int64_t kLow, int64_t kHigh, typename Writer>
Outcome ReadInteger(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  int64_t value = 0;
  if (!ParseInteger(text, &value) || value < kLow || value > kHigh) return Outcome::kMalformed;
  out->IntegerText(text, value);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadFloat(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  FloatText<float> value;
  if (!value.Parse(text)) return Outcome::kMalformed;
  out->Float(value);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadDouble(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  FloatText<double> value;
  if (!value.Parse(text)) return Outcome::kMalformed;
  out->Double(value);
  return Outcome::kOk;
}

}  // namespace walduct::encode
