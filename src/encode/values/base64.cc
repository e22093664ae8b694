#include "encode/values/base64.h"

#include <array>
#include <cstdint>

namespace walduct::encode {
namespace {

constexpr char kStandard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kUrlSafe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kMostHex = 0xF;

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
char* Encode(size_t size, ByteAt byte, const char* digits, char* to) {
  size_t i = 0;
  for (; i + 3 <= size; i += 3) {
    const uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *to++ = digits[group >> 18];
    *to++ = digits[group >> 12 & 63];
    *to++ = digits[group >> 6 & 63];
    *to++ = digits[group & 63];
  }
  if (i == size) return to;
  const bool two = i + 2 == size;
  const uint32_t group = byte(i) << 16 | (two ? byte(i + 1) << 8 : 0);
  *to++ = digits[group >> 18];
  *to++ = digits[group >> 12 & 63];
  *to++ = two ? digits[group >> 6 & 63] : '=';
  *to++ = '=';
  return to;
}

// Bytes of hexadecimal digits; a bad digit sets the high bits of `seen`.
struct HexBytes {
  absl::string_view hex;
  uint32_t seen = 0;

  uint32_t operator()(size_t i) {
    const uint32_t high = kHexValue[static_cast<unsigned char>(hex[2 * i])];
    const uint32_t low = kHexValue[static_cast<unsigned char>(hex[2 * i + 1])];
    seen |= high | low;
    return (high << 4 | low) & 0xFF;
  }
};

}  // namespace

char* PutBase64(absl::string_view bytes, Base64Alphabet alphabet, char* to) {
  const auto byte = [bytes](size_t i) { return uint32_t{static_cast<unsigned char>(bytes[i])}; };
  return Encode(bytes.size(), byte, DigitsOf(alphabet), to);
}

char* PutBase64OfHex(absl::string_view hex, Base64Alphabet alphabet, char* to) {
  if (hex.size() % 2 != 0) return nullptr;
  HexBytes bytes{hex};
  const auto byte = [&bytes](size_t i) { return bytes(i); };
  to = Encode(hex.size() / 2, byte, DigitsOf(alphabet), to);
  return bytes.seen <= kMostHex ? to : nullptr;
}

char* PutBytesOfHex(absl::string_view hex, char* to) {
  if (hex.size() % 2 != 0) return nullptr;
  HexBytes bytes{hex};
  for (size_t i = 0; i < hex.size() / 2; ++i) *to++ = static_cast<char>(bytes(i));
  return bytes.seen <= kMostHex ? to : nullptr;
}

char* PutLowerHex(absl::string_view hex, char* to) {
  if (hex.size() % 2 != 0) return nullptr;
  for (const char c : hex) {
    const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (!digit) return nullptr;
    *to++ = c;
  }
  return to;
}

char* PutHex(absl::string_view bytes, char* to) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *to++ = kDigits[byte >> 4];
    *to++ = kDigits[byte & 15];
  }
  return to;
}

}  // namespace walduct::encode
