// Decimal digits, eight at a time as the bytes of a word. Pure.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace walduct::encode {

static_assert(std::endian::native == std::endian::little);  // the first digit is the lowest byte

inline constexpr size_t kWordDigits = 8;
inline constexpr uint64_t kWordOfZeros = 0x3030303030303030;

inline constexpr std::array<uint64_t, 20> kPowersOfTen = [] {
  std::array<uint64_t, 20> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// What eight characters are worth, if AreDigits.
inline uint64_t LoadDigits(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word ^ kWordOfZeros;
}

// The same of one to seven, zeros before them.
inline uint64_t LoadFewDigits(const char* at, size_t size) {
  if (size >= 4) {
    uint32_t first, last;
    std::memcpy(&first, at, sizeof(first));
    std::memcpy(&last, at + size - 4, sizeof(last));
    return uint64_t{first ^ 0x30303030} << (8 * (kWordDigits - size)) | uint64_t{last ^ 0x30303030}
                                                                            << 32;
  }
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i)
    word |= uint64_t{static_cast<unsigned char>(at[i] ^ '0')} << (8 * (kWordDigits - size + i));
  return word;
}

// Each byte is 0 to 9.
inline bool AreDigits(uint64_t word) {
  return ((word | (word + 0x0606060606060606)) & 0xF0F0F0F0F0F0F0F0) == 0;
}

// The number of eight digits: pairs of them, then pairs of pairs, then both halves.
inline uint64_t NumberOf(uint64_t word) {
  constexpr uint64_t kPairs = 0x000000FF000000FF;
  word = word * 10 + (word >> 8);
  return ((word & kPairs) * (100 + (uint64_t{1000000} << 32)) +
          (word >> 16 & kPairs) * (1 + (uint64_t{10000} << 32))) >>
         32;
}

// Nothing but digits, and at least one.
inline bool AllDigits(absl::string_view text) {
  const char* at = text.data();
  size_t left = text.size();
  if (left == 0) return false;
  for (; left >= kWordDigits; left -= kWordDigits, at += kWordDigits)
    if (!AreDigits(LoadDigits(at))) return false;
  return AreDigits(LoadFewDigits(at, left));
}

// At most 19 characters as a number. False: not all of them are digits.
inline bool ReadDigits(absl::string_view text, uint64_t* number) {
  const char* at = text.data();
  size_t left = text.size();
  *number = 0;
  for (; left >= kWordDigits; left -= kWordDigits, at += kWordDigits) {
    const uint64_t word = LoadDigits(at);
    if (!AreDigits(word)) return false;
    *number = *number * kPowersOfTen[kWordDigits] + NumberOf(word);
  }
  const uint64_t word = LoadFewDigits(at, left);
  *number = *number * kPowersOfTen[left] + NumberOf(word);
  return AreDigits(word);
}

// The digits of a number below 10^8, worth 0 to 9: halves of it, then pairs, then digits.
inline uint64_t DigitsOf(uint32_t number) {
  const uint64_t halves = number / 10000 | uint64_t{number % 10000} << 32;
  const uint64_t hundreds = (halves * 5243 >> 19) & 0x0000007F0000007F;
  const uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
  const uint64_t tens = (pairs * 103 >> 10) & 0x000F000F000F000F;
  return tens | (pairs - tens * 10) << 8;
}

inline char* PutEightDigits(uint32_t number, char* to) {
  const uint64_t word = DigitsOf(number) | kWordOfZeros;
  std::memcpy(to, &word, sizeof(word));
  return to + kWordDigits;
}

// What PutInteger may write to, if not all of it is digits.
inline constexpr size_t kMostOfInteger = 32;

inline char* PutInteger(uint64_t number, char* to) {
  constexpr uint64_t kWord = kPowersOfTen[kWordDigits];
  if (number >= kWord)
    return PutEightDigits(static_cast<uint32_t>(number % kWord), PutInteger(number / kWord, to));
  const uint64_t digits = DigitsOf(static_cast<uint32_t>(number));
  const size_t zeros = digits == 0 ? 7 : static_cast<size_t>(std::countr_zero(digits)) / 8;
  const uint64_t word = (digits | kWordOfZeros) >> (8 * zeros);
  std::memcpy(to, &word, sizeof(word));
  return to + (kWordDigits - zeros);
}

inline char* PutInteger(int64_t number, char* to) {
  const auto bits = static_cast<uint64_t>(number);
  if (number >= 0) return PutInteger(bits, to);
  *to = '-';
  return PutInteger(0 - bits, to + 1);
}

}  // namespace walduct::encode
