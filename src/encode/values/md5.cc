#include "encode/values/md5.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace walduct::encode {
namespace {

constexpr size_t kBlock = 64;
constexpr size_t kLengthBytes = 8;
constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

using State = std::array<uint32_t, 4>;

// RFC 1321 defines the table of constants by this formula.
uint32_t SineConstant(unsigned step) {
  return static_cast<uint32_t>(
      std::floor(std::fabs(std::sin(static_cast<double>(step + 1))) * 4294967296.0));
}

void Step(unsigned i, const std::array<uint32_t, 16>& words, State* s) {
  const auto [a, b, c, d] = *s;
  uint32_t mixed = 0;
  unsigned word = 0;
  switch (i / 16) {
    case 0:
      mixed = (b & c) | (~b & d);
      word = i;
      break;
    case 1:
      mixed = (d & b) | (~d & c);
      word = (5 * i + 1) % 16;
      break;
    case 2:
      mixed = b ^ c ^ d;
      word = (3 * i + 5) % 16;
      break;
    default:
      mixed = c ^ (b | ~d);
      word = (7 * i) % 16;
      break;
  }
  const uint32_t sum = a + mixed + SineConstant(i) + words[word];
  *s = {d, b + std::rotl(sum, kShifts[i / 16][i % 4]), b, c};
}

void Digest(const char* block, State* state) {
  std::array<uint32_t, 16> words;
  std::memcpy(words.data(), block, kBlock);
  State s = *state;
  for (unsigned i = 0; i < 64; ++i) Step(i, words, &s);
  for (size_t i = 0; i < s.size(); ++i) (*state)[i] += s[i];
}

}  // namespace

std::array<uint8_t, 16> Md5(absl::string_view message) {
  std::string padded(message);
  const uint64_t bits = uint64_t{message.size()} * 8;
  padded.push_back('\x80');
  while (padded.size() % kBlock != kBlock - kLengthBytes) padded.push_back('\0');
  padded.append(reinterpret_cast<const char*>(&bits), kLengthBytes);
  State state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  for (size_t i = 0; i < padded.size(); i += kBlock) Digest(padded.data() + i, &state);
  std::array<uint8_t, 16> digest;
  std::memcpy(digest.data(), state.data(), digest.size());
  return digest;
}

}  // namespace walduct::encode
