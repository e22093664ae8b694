#include "encode/values/base64.h"

#include <array>
#include <cstdint>
#include <cstring>

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

constexpr uint64_t EachByte(uint8_t value) { return value * uint64_t{0x0101010101010101}; }

// Eight hexadecimal digits as four bytes, the first the lowest; *bad is not zero afterwards where
// one is none.
uint32_t FourBytes(const char* hex, uint64_t* bad) {
  uint64_t word;
  std::memcpy(&word, hex, sizeof(word));
  const uint64_t letters = word >> 6 & EachByte(1);
  // Of a digit what it is more than '0', of a letter what it is more than '@' or '`'.
  const uint64_t more = (word & ~(letters << 5)) ^ (EachByte('0') + (letters << 4));
  const uint64_t most = more + EachByte(6) + letters * 3;  // beyond 15 behind '9' and behind 'f'
  *bad |= ((more | most) & EachByte(0xF0)) | ((letters << 4) & ~(more + EachByte(15)));
  const uint64_t halves = more + letters * 9;
  uint64_t bytes = (halves << 4 | halves >> 8) & 0x00FF00FF00FF00FF;
  bytes = (bytes | bytes >> 8) & 0x0000FFFF0000FFFF;
  return static_cast<uint32_t>(bytes | bytes >> 16);
}

}  // namespace

char* PutBase64(absl::string_view bytes, Base64Alphabet alphabet, char* to) {
  const char* const digits = DigitsOf(alphabet);
  const auto put = [digits](uint32_t group, char* quad) {
    quad[0] = digits[group >> 18 & 63];
    quad[1] = digits[group >> 12 & 63];
    quad[2] = digits[group >> 6 & 63];
    quad[3] = digits[group & 63];
    return quad + 4;
  };
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left > 3; left -= 3, at += 3) {
    uint32_t word;
    std::memcpy(&word, at, sizeof(word));
    to = put(__builtin_bswap32(word) >> 8, to);
  }
  if (left == 0) return to;
  const auto byte = [at](size_t i) { return uint32_t{static_cast<unsigned char>(at[i])}; };
  to = put(byte(0) << 16 | (left > 1 ? byte(1) << 8 : 0) | (left > 2 ? byte(2) : 0), to);
  std::memset(to - (3 - left), '=', 3 - left);
  return to;
}

char* PutBase64OfHex(absl::string_view hex, Base64Alphabet alphabet, char* to) {
  constexpr size_t kChunk = 48;  // bytes: whole groups of three
  char bytes[kChunk];
  do {
    const absl::string_view some = hex.substr(0, 2 * kChunk);
    const char* const end = PutBytesOfHex(some, bytes);
    if (end == nullptr) return nullptr;
    to = PutBase64({bytes, static_cast<size_t>(end - bytes)}, alphabet, to);
    hex.remove_prefix(some.size());
  } while (!hex.empty());
  return to;
}

char* PutBytesOfHex(absl::string_view hex, char* to) {
  constexpr size_t kWord = 8;
  if (hex.size() % 2 != 0) return nullptr;
  uint64_t bad = 0;
  for (; hex.size() >= kWord; hex.remove_prefix(kWord), to += kWord / 2) {
    const uint32_t bytes = FourBytes(hex.data(), &bad);
    std::memcpy(to, &bytes, sizeof(bytes));
  }
  uint32_t seen = 0;
  for (; !hex.empty(); hex.remove_prefix(2)) {
    const uint32_t high = kHexValue[static_cast<unsigned char>(hex[0])];
    const uint32_t low = kHexValue[static_cast<unsigned char>(hex[1])];
    seen |= high | low;
    *to++ = static_cast<char>(high << 4 | low);
  }
  return bad == 0 && seen <= kMostHex ? to : nullptr;
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
