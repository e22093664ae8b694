// numeric and money.
#pragma once

#include <cstring>
#include <limits>

#include "absl/strings/string_view.h"
#include "encode/readers/scalar_readers.h"
#include "encode/values/decimal_text.h"
#include "encode/values/money_text.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

template <typename Writer>
Outcome WriteDecimal(const DecimalText& decimal, int32_t scale, ReadContext* context, Writer* out) {
  if (decimal.fraction.size() > static_cast<size_t>(scale)) return Outcome::kMalformed;
  out->Decimal(decimal, scale, context->scratch);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadDecimal(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                    Writer* out) {
  DecimalText decimal;
  const Outcome parsed = ParseDecimal(text, &decimal);
  return parsed == Outcome::kOk ? WriteDecimal(decimal, plan.scale, context, out) : parsed;
}

// A struct of the scale, which is that of the value, and the unscaled value.
template <typename Writer>
Outcome ReadVariableScaleDecimal(absl::string_view text, const ValuePlan&, ReadContext* context,
                                 Writer* out) {
  DecimalText decimal;
  const Outcome parsed = ParseDecimal(text, &decimal);
  if (parsed != Outcome::kOk) return parsed;
  while (!decimal.fraction.empty() && decimal.fraction.back() == '0')
    decimal.fraction.remove_suffix(1);
  const auto scale = static_cast<int32_t>(decimal.fraction.size());
  out->BeginStruct();
  out->Field(0, "scale", Need::kRequired);
  out->Integer(scale);
  out->Field(1, "value", Need::kRequired);
  out->Bytes(UnscaledBytes(decimal, scale, context->scratch));
  out->EndStruct();
  return Outcome::kOk;
}

// Of a text and its parts, Java's nearest double; beyond its range Infinity, below it zero.
template <typename Writer>
Outcome WriteDecimalDouble(absl::string_view text, const DecimalText& decimal, Writer* out) {
  FloatText<double> value;
  if (value.Parse(text)) {
    out->Double(value);
    return Outcome::kOk;
  }
  const bool large = decimal.whole.find_first_not_of('0') != absl::string_view::npos;
  const double limit = large ? std::numeric_limits<double>::infinity() : 0;
  out->Double(decimal.negative ? -limit : limit);
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadDecimalDouble(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  DecimalText decimal;
  if (ParseDecimal(text, &decimal) == Outcome::kMalformed) return Outcome::kMalformed;
  return WriteDecimalDouble(text, decimal, out);
}

// The digits of the column's scale; NaN and the infinities have names of Debezium's.
template <typename Writer>
Outcome ReadDecimalString(absl::string_view text, const ValuePlan& plan, ReadContext*,
                          Writer* out) {
  DecimalText decimal;
  const Outcome parsed = ParseDecimal(text, &decimal);
  if (parsed == Outcome::kNoRoom) {
    const absl::string_view infinity = text[0] == '-' ? "NEGATIVE_INFINITY" : "POSITIVE_INFINITY";
    out->String(text == "NaN" ? "NAN" : infinity);
    return Outcome::kOk;
  }
  if (parsed != Outcome::kOk) return parsed;
  const size_t digits = decimal.fraction.size();
  const size_t scale = plan.scale < 0 ? digits : static_cast<size_t>(plan.scale);
  if (digits > scale) return Outcome::kMalformed;
  out->Ascii(text.size() + 1 + scale, [&](char* to) {
    std::memcpy(to, text.data(), text.size());
    to += text.size();
    if (digits == 0 && scale > 0) *to++ = '.';
    std::memset(to, '0', scale - digits);
    return to + (scale - digits);
  });
  return Outcome::kOk;
}

template <typename Writer>
Outcome ReadMoney(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                  Writer* out) {
  DecimalText decimal;
  if (!ParseMoney(text, context->scratch, &decimal) ||
      !RoundMoney(plan.scale, context->scratch, &decimal)) {
    return Outcome::kForeignMoney;
  }
  return WriteDecimal(decimal, plan.scale, context, out);
}

template <typename Writer>
Outcome ReadMoneyDouble(absl::string_view text, const ValuePlan&, ReadContext* context,
                        Writer* out) {
  DecimalText decimal;
  if (!ParseMoney(text, context->scratch, &decimal)) return Outcome::kForeignMoney;
  return WriteDecimalDouble(context->scratch->entry_text, decimal, out);
}

template <typename Writer>
Outcome ReadMoneyString(absl::string_view text, const ValuePlan&, ReadContext* context,
                        Writer* out) {
  DecimalText decimal;
  if (!ParseMoney(text, context->scratch, &decimal)) return Outcome::kForeignMoney;
  out->String(context->scratch->entry_text);
  return Outcome::kOk;
}

}  // namespace walduct::encode
