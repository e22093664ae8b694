// Texts, booleans and numbers of fixed size.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "encode/values/float_text.h"
#include "encode/values/integer_text.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

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
