#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "encode/appenders.h"
#include "encode/base64.h"
#include "encode/java_number.h"

namespace walduct::encode {
namespace {

constexpr size_t kInt64Digits = 18;  // any so many digits fit

// What numeric_out writes: -?digits[.digits]. Borrows the text.
struct DecimalText {
  bool negative = false;
  absl::string_view whole;
  absl::string_view fraction;
};

bool AllDigits(absl::string_view text) {
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty();
}

Outcome Parse(absl::string_view text, DecimalText* decimal) {
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return Outcome::kNull;
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

// Digits of the unscaled value at this scale, without leading zeros; false when the text has more digits than the scale.
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

// Two's complement, most significant byte first, as few bytes as hold the sign: BigInteger.toByteArray().
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

void AppendUnscaledBase64(bool negative, absl::string_view digits, Scratch* scratch,
                          std::string* out) {
  if (digits == "0") negative = false;
  if (digits.size() <= kInt64Digits) {
    const uint64_t number = SmallNumber(digits);
    scratch->limbs.assign({static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)});
  } else {
    ToLimbs(digits, &scratch->limbs);
  }
  TwosComplement(negative, &scratch->limbs, &scratch->bytes);
  out->push_back('"');
  AppendBase64(scratch->bytes, out);
  out->push_back('"');
}

Outcome AppendScaled(const DecimalText& decimal, int32_t scale, ValueContext* context) {
  std::string* digits = &context->scratch->digits;
  if (!Unscale(decimal, static_cast<size_t>(scale), digits)) return Outcome::kMalformed;
  if (context->format == TextFormat::kJson && !context->decimal_numeric) {
    AppendUnscaledBase64(decimal.negative, *digits, context->scratch, context->out);
  } else {
    AppendJavaDecimal({decimal.negative && *digits != "0", *digits, scale}, context->out);
  }
  return Outcome::kOk;
}

absl::string_view WithoutTrailingZeros(absl::string_view fraction) {
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  return fraction;
}

// lc_monetary of C and the English locales: [-]symbol digits[,ddd…][.digits], the whole possibly in parentheses is not.
Outcome ParseMoney(absl::string_view text, std::string* plain) {
  plain->clear();
  if (!text.empty() && text[0] == '-') {
    plain->push_back('-');
    text.remove_prefix(1);
  }
  size_t symbol = 0;
  while (symbol < text.size() && !absl::ascii_isdigit(static_cast<unsigned char>(text[symbol])))
    ++symbol;
  text.remove_prefix(symbol);
  const size_t point = text.find('.');
  absl::string_view whole = text.substr(0, point);
  size_t group = 0;  // digits since the last comma
  bool grouped = false;
  for (char c : whole) {
    if (c == ',') {
      if (grouped ? group != 3 : group > 3) return Outcome::kForeignMoney;
      grouped = true;
      group = 0;
      continue;
    }
    plain->push_back(c);
    ++group;
  }
  if (whole.empty() || (grouped && group != 3)) return Outcome::kForeignMoney;
  if (point != absl::string_view::npos) absl::StrAppend(plain, text.substr(point));
  return Outcome::kOk;
}

}  // namespace

Outcome AppendDecimal(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  DecimalText decimal;
  const Outcome parsed = Parse(text, &decimal);
  return parsed == Outcome::kOk ? AppendScaled(decimal, plan.scale, context) : parsed;
}

Outcome AppendVariableScaleDecimal(absl::string_view text, const ValuePlan&,
                                   ValueContext* context) {
  DecimalText decimal;
  const Outcome parsed = Parse(text, &decimal);
  if (parsed != Outcome::kOk) return parsed;
  decimal.fraction = WithoutTrailingZeros(decimal.fraction);
  const size_t scale = decimal.fraction.size();
  Unscale(decimal, scale, &context->scratch->digits);
  const bool java = context->format == TextFormat::kStruct;
  absl::StrAppend(context->out, java ? "Struct{scale=" : "{\"scale\":", scale,
                  java ? ",value=" : ",\"value\":");
  AppendUnscaledBase64(decimal.negative, context->scratch->digits, context->scratch, context->out);
  context->out->push_back('}');
  return Outcome::kOk;
}

Outcome AppendMoney(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  std::string* plain = &context->scratch->element;
  const Outcome parsed = ParseMoney(text, plain);
  if (parsed != Outcome::kOk) return parsed;
  DecimalText decimal;
  if (Parse(*plain, &decimal) != Outcome::kOk) return Outcome::kForeignMoney;
  return AppendScaled(decimal, plan.scale, context) == Outcome::kOk ? Outcome::kOk
                                                                    : Outcome::kForeignMoney;
}

}  // namespace walduct::encode
