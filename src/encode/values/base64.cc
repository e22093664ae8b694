#include "encode/values/base64.h"

#include <array>
#include <cstdint>

namespace walduct::encode {
namespace {

constexpr char kStandard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kUrlSafe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const char* DigitsOf(Base64Alphabet alphabet) {
  return alphabet == Base64Alphabet::kStandard ? kStandard : kUrlSafe;
}

constexpr std::array<uint8_t, 256> kHexValue = [] {
  std::array<uint8_t, 256> table{};
  for (auto& value : table) value = 0xFF;
  for (uint8_t i = 0; i < 10; ++i) table[static_cast<size_t>('0' + i)] = i;
  for (uint8_t i = 0; i < 6; ++i) {
    table[static_cast<size_t>('a' + i)] = static_cast<uint8_t>(10 + i);
    table[static_cast<size_t>('A' + i)] = static_cast<uint8_t>(10 + i);
  }
  return table;
}();

// byte(i) yields the i-th of size bytes.
template <typename ByteAt>
void Encode(size_t size, ByteAt byte, const char* digits, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + (size + 2) / 3 * 4);
  char* to = out->data() + begin;
  size_t i = 0;
  for (; i + 3 <= size; i += 3) {
    const uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *to++ = digits[group >> 18];
    *to++ = digits[group >> 12 & 63];
    *to++ = digits[group >> 6 & 63];
    *to++ = digits[group & 63];
  }
  if (i == size) return;
  const bool two = i + 2 == size;
  const uint32_t group = byte(i) << 16 | (two ? byte(i + 1) << 8 : 0);
  *to++ = digits[group >> 18];
  *to++ = digits[group >> 12 & 63];
  *to++ = two ? digits[group >> 6 & 63] : '=';
  *to++ = '=';
}

}  // namespace

void AppendBase64(absl::string_view bytes, std::string* out, Base64Alphabet alphabet) {
  Encode(
      bytes.size(), [bytes](size_t i) { return uint32_t{static_cast<unsigned char>(bytes[i])}; },
      DigitsOf(alphabet), out);
}

bool AppendBase64OfHex(absl::string_view hex, std::string* out, Base64Alphabet alphabet) {
  if (hex.size() % 2 != 0) return false;
  uint32_t seen = 0;  // a bad digit sets the high bits
  const auto byte = [hex, &seen](size_t i) {
    const uint32_t high = kHexValue[static_cast<unsigned char>(hex[2 * i])];
    const uint32_t low = kHexValue[static_cast<unsigned char>(hex[2 * i + 1])];
    seen |= high | low;
    return (high << 4 | low) & 0xFF;
  };
  Encode(hex.size() / 2, byte, DigitsOf(alphabet), out);
  return seen <= 0xF;
}

}  // namespace walduct::encode
