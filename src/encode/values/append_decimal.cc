#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "encode/values/appenders.h"
#include "encode/values/base64.h"
#include "encode/values/decimal_text.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

constexpr size_t kInt64Digits = 18;  // any so many digits fit

bool AllDigits(absl::string_view text) {
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty();
}

// Digits of the unscaled value at this scale, without leading zeros; false when the text has more
// digits than the scale.
bool Unscale(const DecimalText& decimal, size_t scale, std::string* digits) {
  if (decimal.fraction.size() > scale) return false;
  digits->assign(decimal.whole.data(), decimal.whole.size());
  digits->append(decimal.fraction.data(), decimal.fraction.size());
  digits->append(scale - decimal.fraction.size(), '0');
  const size_t first = digits->find_first_not_of('0');
  digits->erase(0, first == std::string::npos ? digits->size() - 1 : first);
  return true;
}

uint64_t SmallNumber(absl::string_view digits) {
  uint64_t number = 0;
  for (char c : digits) number = number * 10 + static_cast<uint64_t>(c - '0');
  return number;
}

// Schoolbook: nine digits at a time into base 2^32.
void ToLimbs(absl::string_view digits, std::vector<uint32_t>* limbs) {
  limbs->clear();
  while (!digits.empty()) {
    const size_t size = digits.size() % 9 == 0 ? 9 : digits.size() % 9;
    uint64_t carry = SmallNumber(digits.substr(0, size));
    digits.remove_prefix(size);
    for (uint32_t& limb : *limbs) {
      const uint64_t product = uint64_t{limb} * 1000000000 + carry;
      limb = static_cast<uint32_t>(product);
      carry = product >> 32;
    }
    if (carry != 0) limbs->push_back(static_cast<uint32_t>(carry));
  }
}

// Two's complement, most significant byte first, as few bytes as hold the sign:
// BigInteger.toByteArray().
void TwosComplement(bool negative, std::vector<uint32_t>* limbs, std::string* bytes) {
  limbs->push_back(0);  // room for the sign
  if (negative) {
    uint64_t carry = 1;
    for (uint32_t& limb : *limbs) {
      carry += static_cast<uint32_t>(~limb);
      limb = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  bytes->resize(limbs->size() * 4);
  char* to = bytes->data();
  for (auto limb = limbs->rbegin(); limb != limbs->rend(); ++limb, to += 4) {
    const uint32_t big_endian = __builtin_bswap32(*limb);
    std::memcpy(to, &big_endian, 4);
  }
  const char padding = negative ? '\xFF' : '\0';
  size_t skip = 0;
  while (skip + 1 < bytes->size() && (*bytes)[skip] == padding &&
         ((*bytes)[skip + 1] < 0) == negative)
    ++skip;
  bytes->erase(0, skip);
}

void AppendUnscaledBase64(bool negative, absl::string_view digits, ValueContext* context) {
  Scratch* scratch = context->scratch;
  std::string* out = context->out;
  const bool quoted = context->format != TextFormat::kStruct;
  if (digits == "0") negative = false;
  if (digits.size() <= kInt64Digits) {
    const uint64_t number = SmallNumber(digits);
    scratch->limbs.assign({static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)});
  } else {
    ToLimbs(digits, &scratch->limbs);
  }
  TwosComplement(negative, &scratch->limbs, &scratch->bytes);
  if (quoted) out->push_back('"');
  AppendBase64(scratch->bytes, out);
  if (quoted) out->push_back('"');
}

absl::string_view WithoutTrailingZeros(absl::string_view fraction) {
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  return fraction;
}

}  // namespace

Outcome ParseDecimal(absl::string_view text, DecimalText* decimal) {
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return Outcome::kNoRoom;
  if (!text.empty() && text[0] == '-') {
    decimal->negative = true;
    text.remove_prefix(1);
  }
  const size_t point = text.find('.');
  decimal->whole = text.substr(0, point);
  if (!AllDigits(decimal->whole)) return Outcome::kMalformed;
  if (point == absl::string_view::npos) return Outcome::kOk;
  decimal->fraction = text.substr(point + 1);
  return AllDigits(decimal->fraction) ? Outcome::kOk : Outcome::kMalformed;
}

Outcome AppendScaledDecimal(const DecimalText& decimal, int32_t scale, ValueContext* context) {
  std::string* digits = &context->scratch->digits;
  if (!Unscale(decimal, static_cast<size_t>(scale), digits)) return Outcome::kMalformed;
  if (context->format == TextFormat::kJson && !context->decimal_numeric) {
    AppendUnscaledBase64(decimal.negative, *digits, context);
  } else {
    java::AppendDecimal({decimal.negative && *digits != "0", *digits, scale}, context->out);
  }
  return Outcome::kOk;
}

Outcome AppendDecimal(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  DecimalText decimal;
  const Outcome parsed = ParseDecimal(text, &decimal);
  return parsed == Outcome::kOk ? AppendScaledDecimal(decimal, plan.scale, context) : parsed;
}

Outcome AppendVariableScaleDecimal(absl::string_view text, const ValuePlan&,
                                   ValueContext* context) {
  DecimalText decimal;
  const Outcome parsed = ParseDecimal(text, &decimal);
  if (parsed != Outcome::kOk) return parsed;
  decimal.fraction = WithoutTrailingZeros(decimal.fraction);
  const size_t scale = decimal.fraction.size();
  Unscale(decimal, scale, &context->scratch->digits);
  const bool java = context->format == TextFormat::kStruct;
  absl::StrAppend(context->out, java ? "Struct{scale=" : "{\"scale\":", scale,
                  java ? ",value=" : ",\"value\":");
  AppendUnscaledBase64(decimal.negative, context->scratch->digits, context);
  context->out->push_back('}');
  return Outcome::kOk;
}

// Java's nearest double; beyond its range Infinity, below it zero.
Outcome AppendDecimalDouble(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  DecimalText decimal;
  const Outcome parsed = ParseDecimal(text, &decimal);
  if (parsed == Outcome::kNoRoom) return AppendFloat8(text, plan, context);
  if (parsed != Outcome::kOk) return parsed;
  double value = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ec == std::errc::result_out_of_range) {
    const bool large = decimal.whole.find_first_not_of('0') != absl::string_view::npos;
    value = large ? std::numeric_limits<double>::infinity() : 0;
    if (decimal.negative) value = -value;
  }
  const bool quoted = std::isinf(value) && context->format == TextFormat::kJson;
  if (quoted) context->out->push_back('"');
  java::AppendDouble(value, context->out);
  if (quoted) context->out->push_back('"');
  return Outcome::kOk;
}

// The digits of the column's scale; NaN and the infinities have names of Debezium's.
Outcome AppendDecimalString(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  DecimalText decimal;
  const Outcome parsed = ParseDecimal(text, &decimal);
  if (parsed == Outcome::kNoRoom) {
    const absl::string_view infinity = text[0] == '-' ? "NEGATIVE_INFINITY" : "POSITIVE_INFINITY";
    AppendText(text == "NaN" ? "NAN" : infinity, context);
    return Outcome::kOk;
  }
  if (parsed != Outcome::kOk) return parsed;
  const auto scale = plan.scale < 0 ? decimal.fraction.size() : static_cast<size_t>(plan.scale);
  if (decimal.fraction.size() > scale) return Outcome::kMalformed;
  const bool quoted = context->format != TextFormat::kStruct;
  if (quoted) context->out->push_back('"');
  context->out->append(text.data(), text.size());
  if (decimal.fraction.empty() && scale > 0) context->out->push_back('.');
  context->out->append(scale - decimal.fraction.size(), '0');
  if (quoted) context->out->push_back('"');
  return Outcome::kOk;
}

}  // namespace walduct::encode
