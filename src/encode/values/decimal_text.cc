#include "encode/values/decimal_text.h"

#include <cstring>

#include "encode/values/digits.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

constexpr size_t kInt64Digits = 18;  // any so many digits fit

// Of at most kInt64Digits.
uint64_t NumberOfDigits(absl::string_view digits) {
  uint64_t number = 0;
  ReadDigits(digits, &number);
  return number;
}

size_t MissingZeros(const DecimalText& decimal, int32_t scale) {
  return static_cast<size_t>(scale) - decimal.fraction.size();
}

// Schoolbook: nine digits at a time into base 2^32.
void ToLimbs(absl::string_view digits, std::vector<uint32_t>* limbs) {
  limbs->clear();
  while (!digits.empty()) {
    const size_t size = digits.size() % 9 == 0 ? 9 : digits.size() % 9;
    uint64_t carry = NumberOfDigits(digits.substr(0, size));
    digits.remove_prefix(size);
    for (uint32_t& limb : *limbs) {
      const uint64_t product = uint64_t{limb} * 1000000000 + carry;
      limb = static_cast<uint32_t>(product);
      carry = product >> 32;
    }
    if (carry != 0) limbs->push_back(static_cast<uint32_t>(carry));
  }
}

// Bytes at the front that say no more than the sign of what follows.
size_t Padding(absl::string_view bytes, bool negative) {
  const char padding = negative ? '\xFF' : '\0';
  size_t skip = 0;
  const auto is_negative = [](char byte) { return static_cast<signed char>(byte) < 0; };
  while (skip + 1 < bytes.size() && bytes[skip] == padding &&
         is_negative(bytes[skip + 1]) == negative)
    ++skip;
  return skip;
}

absl::string_view TwosComplement(bool negative, std::vector<uint32_t>* limbs, std::string* bytes) {
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
  const absl::string_view all = *bytes;
  return all.substr(Padding(all, negative));
}

absl::string_view SmallTwosComplement(uint64_t number, std::string* bytes) {
  const uint64_t big_endian = __builtin_bswap64(number);
  bytes->assign(reinterpret_cast<const char*>(&big_endian), sizeof(big_endian));
  const absl::string_view all = *bytes;
  return all.substr(Padding(all, static_cast<int64_t>(number) < 0));
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

absl::string_view UnscaledDigits(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  std::string* digits = &scratch->digits;
  digits->assign(decimal.whole.data(), decimal.whole.size());
  digits->append(decimal.fraction.data(), decimal.fraction.size());
  digits->append(MissingZeros(decimal, scale), '0');
  const absl::string_view all = *digits;
  const size_t first = all.find_first_not_of('0');
  return all.substr(first == absl::string_view::npos ? all.size() - 1 : first);
}

absl::string_view UnscaledBytes(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  if (decimal.whole.size() + static_cast<size_t>(scale) <= kInt64Digits) {
    const uint64_t number =
        NumberOfDigits(decimal.whole) * kPowersOfTen[static_cast<size_t>(scale)] +
        NumberOfDigits(decimal.fraction) * kPowersOfTen[MissingZeros(decimal, scale)];
    return SmallTwosComplement(decimal.negative ? 0 - number : number, &scratch->bytes);
  }
  const absl::string_view digits = UnscaledDigits(decimal, scale, scratch);
  ToLimbs(digits, &scratch->limbs);
  return TwosComplement(decimal.negative && digits != "0", &scratch->limbs, &scratch->bytes);
}

void AppendPlainDecimal(const DecimalText& decimal, int32_t scale, Scratch* scratch,
                        std::string* out) {
  const absl::string_view digits = UnscaledDigits(decimal, scale, scratch);
  const auto behind = static_cast<size_t>(scale);
  const size_t whole = digits.size() > behind ? digits.size() - behind : 0;
  if (decimal.negative && digits != "0") out->push_back('-');
  if (whole == 0) out->push_back('0');
  out->append(digits.data(), whole);
  if (behind == 0) return;
  out->push_back('.');
  out->append(behind - (digits.size() - whole), '0');
  out->append(digits.data() + whole, digits.size() - whole);
}

size_t MostOfJavaDecimal(const DecimalText& decimal, int32_t scale) {
  return decimal.whole.size() + static_cast<size_t>(scale) + java::kMoreOfDecimal;
}

char* PutJavaDecimal(const DecimalText& decimal, int32_t scale, Scratch* scratch, char* to) {
  const absl::string_view digits = UnscaledDigits(decimal, scale, scratch);
  return java::PutDecimal({decimal.negative && digits != "0", digits, scale}, to);
}

}  // namespace walduct::encode
