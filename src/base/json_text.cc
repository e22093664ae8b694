#include "base/json_text.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace walduct {
namespace {

// 0: copy as is; 'u': \u00XX; 'S': first of four bytes that become two surrogates; else: the letter
// after the backslash.
constexpr std::array<char, 256> kEscape = [] {
  std::array<char, 256> table{};
  for (int c = 0; c < 0x20; ++c) table[static_cast<size_t>(c)] = 'u';
  table['\b'] = 'b';
  table['\t'] = 't';
  table['\n'] = 'n';
  table['\f'] = 'f';
  table['\r'] = 'r';
  table['"'] = '"';
  table['\\'] = '\\';
  for (size_t c = 0xF0; c <= 0xFF; ++c) table[c] = 'S';
  return table;
}();

// The bytes of a word that kEscape names, as their highest bits. Bits above the lowest may be
// wrong: a borrow runs upwards.
uint64_t EscapeBits(uint64_t word) {
  constexpr uint64_t kOnes = 0x0101010101010101ULL;
  constexpr uint64_t kHigh = 0x8080808080808080ULL;
  const uint64_t quote = word ^ (kOnes * '"');
  const uint64_t slash = word ^ (kOnes * '\\');
  const uint64_t hits =
      ((word - kOnes * 0x20) & ~word) | ((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash);
  const uint64_t four_byte_lead = word & (word << 1) & (word << 2) & (word << 3);
  return (hits | four_byte_lead) & kHigh;
}

#ifdef __SSE2__
// One bit per byte of sixteen that kEscape names.
unsigned EscapeMask(const char* bytes) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
  const __m128i lead = _mm_cmpeq_epi8(_mm_max_epu8(v, _mm_set1_epi8(static_cast<char>(0xF0))), v);
  const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
  const __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(control, lead), _mm_or_si128(quote, slash))));
}
#endif

size_t CleanPrefix(absl::string_view text) {
  size_t i = 0;
#ifdef __SSE2__
  for (; i + 16 <= text.size(); i += 16) {
    if (const unsigned mask = EscapeMask(text.data() + i))
      return i + static_cast<size_t>(std::countr_zero(mask));
  }
#endif
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (const uint64_t bits = EscapeBits(word))
      return i + static_cast<size_t>(std::countr_zero(bits)) / 8;
  }
  while (i < text.size() && kEscape[static_cast<unsigned char>(text[i])] == 0) ++i;
  return i;
}

constexpr char kHex[] = "0123456789ABCDEF";

void AppendUnit(uint32_t unit, std::string* out) {
  const char digits[] = {
      '\\',           'u', kHex[unit >> 12 & 15], kHex[unit >> 8 & 15], kHex[unit >> 4 & 15],
      kHex[unit & 15]};
  out->append(digits, sizeof(digits));
}

// Bytes taken from the front of text: four, or one when they are not a character.
size_t AppendSurrogates(absl::string_view text, std::string* out) {
  const auto continuation = [&](size_t i) { return IsUtf8Continuation(text[i]); };
  if (text.size() < 4 || !continuation(1) || !continuation(2) || !continuation(3)) {
    out->push_back(text[0]);
    return 1;
  }
  const auto bits = [&](size_t i, uint32_t mask) {
    return static_cast<unsigned char>(text[i]) & mask;
  };
  const uint32_t point =
      (bits(0, 15) << 18 | bits(1, 63) << 12 | bits(2, 63) << 6 | bits(3, 63)) - 0x10000;
  if (point > 0xFFFFF) {  // too long for its value, or beyond U+10FFFF
    out->push_back(text[0]);
    return 1;
  }
  AppendUnit(0xD800 + (point >> 10 & 0x3FF), out);
  AppendUnit(0xDC00 + (point & 0x3FF), out);
  return 4;
}

void AppendEscape(unsigned char c, std::string* out) {
  const char escape = kEscape[c];
  out->push_back('\\');
  out->push_back(escape);
  if (escape != 'u') return;
  const char digits[] = {'0', '0', kHex[c >> 4], kHex[c & 15]};
  out->append(digits, 4);
}

}  // namespace

void AppendJsonEscaped(absl::string_view text, std::string* out) {
  while (true) {
    const size_t clean = CleanPrefix(text);
    out->append(text.data(), clean);
    if (clean == text.size()) return;
    text.remove_prefix(clean);
    const auto first = static_cast<unsigned char>(text[0]);
    if (kEscape[first] == 'S') {
      text.remove_prefix(AppendSurrogates(text, out));
      continue;
    }
    AppendEscape(first, out);
    text.remove_prefix(1);
  }
}

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonEscaped(text, out);
  out->push_back('"');
}

}  // namespace walduct
