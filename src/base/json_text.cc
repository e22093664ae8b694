#include "base/json_text.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

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
struct EscapeMasks {
  unsigned itself;  // a quote or a backslash: it stands after the backslash as it is
  unsigned other;
};

EscapeMasks FindEscapes(const char* bytes) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
  const __m128i lead = _mm_cmpeq_epi8(_mm_max_epu8(v, _mm_set1_epi8(static_cast<char>(0xF0))), v);
  const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
  const __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
  return {.itself = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(quote, slash))),
          .other = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, lead)))};
}
#endif

size_t CleanPrefix(absl::string_view text) {
  size_t i = 0;
#ifdef __SSE2__
  for (; i + 16 <= text.size(); i += 16) {
    const EscapeMasks found = FindEscapes(text.data() + i);
    if (const unsigned mask = found.itself | found.other)
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

char* PutUnit(uint32_t unit, char* out) {
  *out++ = '\\';
  *out++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *out++ = kHex[unit >> shift & 15];
  return out;
}

// The character of four bytes at the front of text; nothing when they are none.
std::optional<uint32_t> FourByteCharacter(absl::string_view text) {
  if (text.size() < 4) return std::nullopt;
  for (size_t i = 1; i < 4; ++i)
    if (!IsUtf8Continuation(text[i])) return std::nullopt;
  const auto bits = [&](size_t i, uint32_t mask) {
    return static_cast<unsigned char>(text[i]) & mask;
  };
  const uint32_t above =
      (bits(0, 15) << 18 | bits(1, 63) << 12 | bits(2, 63) << 6 | bits(3, 63)) - 0x10000;
  if (above > 0xFFFFF) return std::nullopt;  // too long for its value, or beyond U+10FFFF
  return above;
}

constexpr size_t kLongestEscape = 12;  // two surrogates

// Writes what stands for the first byte of text, which kEscape names, or for its first four.
char* PutEscape(absl::string_view* text, char* out) {
  const auto first = static_cast<unsigned char>(text->front());
  const char escape = kEscape[first];
  size_t taken = 1;
  if (escape == 'u') {
    out = PutUnit(first, out);
  } else if (escape != 'S') {
    *out++ = '\\';
    *out++ = escape;
  } else if (const std::optional<uint32_t> above = FourByteCharacter(*text)) {
    out = PutUnit(0xD800 + (*above >> 10), out);
    out = PutUnit(0xDC00 + (*above & 0x3FF), out);
    taken = 4;
  } else {
    *out++ = static_cast<char>(first);
  }
  text->remove_prefix(taken);
  return out;
}

// Copies the clean bytes at the front of text, sixteen at most.
char* PutClean(absl::string_view* text, char* out) {
  const absl::string_view some = text->substr(0, 16);
  const size_t clean = CleanPrefix(some);
  std::memcpy(out, some.data(), clean);
  text->remove_prefix(clean);
  return out + clean;
}

#ifdef __SSE2__
// Sixteen bytes with quotes and backslashes: what follows each is written again, one byte further
// on, so that no step waits for the one before. Reads and writes up to sixteen bytes beyond.
char* PutBlock(const char* bytes, unsigned itself, char* out) {
  std::memcpy(out, bytes, 16);
  for (; itself != 0; itself &= itself - 1) {
    const int at = std::countr_zero(itself);
    out[at] = '\\';
    ++out;
    std::memcpy(out + at, bytes + at, 16);
  }
  return out + 16;
}
#endif

constexpr size_t kMostOfAStep = 48;  // sixteen bytes, each escaped, and those beyond
static_assert(16 + kLongestEscape <= kMostOfAStep);

// Takes one to nineteen bytes of text; where what stands for them ends.
char* PutStep(absl::string_view* text, char* out) {
#ifdef __SSE2__
  if (text->size() >= 32) {
    const EscapeMasks found = FindEscapes(text->data());
    if (found.other == 0) {
      out = PutBlock(text->data(), found.itself, out);
      text->remove_prefix(16);
      return out;
    }
  }
#endif
  out = PutClean(text, out);
  const bool escape = !text->empty() && kEscape[static_cast<unsigned char>(text->front())] != 0;
  return escape ? PutEscape(text, out) : out;
}

// For text where one escape follows the other, such as JSON in JSON.
void AppendEscapes(absl::string_view text, std::string* out) {
  std::array<char, 1024> buffer;  // NOLINT: written before it is read
  char* const full = buffer.data() + buffer.size() - kMostOfAStep;
  while (!text.empty()) {
    char* end = buffer.data();
    while (!text.empty() && end <= full) end = PutStep(&text, end);
    out->append(buffer.data(), static_cast<size_t>(end - buffer.data()));
  }
}

}  // namespace

void AppendJsonEscaped(absl::string_view text, std::string* out) {
  const size_t clean = CleanPrefix(text);
  out->append(text.data(), clean);
  if (clean < text.size()) AppendEscapes(text.substr(clean), out);
}

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonEscaped(text, out);
  out->push_back('"');
}

}  // namespace walduct
