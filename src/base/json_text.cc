#include "base/json_text.h"

#include <algorithm>
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

// Copies text up to the first byte that kEscape names; answers how many bytes. What does not fill a
// block is taken together with bytes before it once more.
size_t CopyClean(absl::string_view text, char* out) {
  const char* const from = text.data();
  const size_t size = text.size();
#ifdef __SSE2__
  if (size >= 16) {
    for (size_t at = 0;; at = std::min(at + 16, size - 16)) {
      const EscapeMasks found = FindEscapes(from + at);
      std::memcpy(out + at, from + at, 16);
      if (const unsigned mask = found.itself | found.other)
        return at + static_cast<size_t>(std::countr_zero(mask));
      if (at == size - 16) return size;
    }
  }
#endif
  if (size >= 8) {
    for (size_t at = 0;; at = std::min(at + 8, size - 8)) {
      uint64_t word;
      std::memcpy(&word, from + at, 8);
      std::memcpy(out + at, &word, 8);
      if (const uint64_t bits = EscapeBits(word))
        return at + static_cast<size_t>(std::countr_zero(bits)) / 8;
      if (at == size - 8) return size;
    }
  }
  size_t clean = 0;
  for (; clean < size && kEscape[static_cast<unsigned char>(from[clean])] == 0; ++clean)
    out[clean] = from[clean];
  return clean;
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

// The same of the front of text, of which it takes sixteen bytes or all; false where there is more
// to escape than quotes and backslashes: nothing was taken.
bool TakeBlock(absl::string_view* text, char** out) {
  char padded[32] = {};
  const absl::string_view block = text->substr(0, 16);
  const char* bytes = text->data();
  if (text->size() < sizeof(padded)) {
    PutBytes(block, padded);
    bytes = padded;
  }
  const unsigned taken = (2u << (block.size() - 1)) - 1;
  const EscapeMasks found = FindEscapes(bytes);
  if ((found.other & taken) != 0) return false;
  *out = PutBlock(bytes, found.itself & taken, *out) - (16 - block.size());
  text->remove_prefix(block.size());
  return true;
}
#endif

constexpr size_t kMostOfAStep = 48;  // sixteen bytes, each escaped, and those beyond
static_assert(16 + kLongestEscape <= kMostOfAStep);

// Takes one to nineteen bytes of text, which is not empty; where what stands for them ends.
char* PutStep(absl::string_view* text, char* out) {
#ifdef __SSE2__
  if (TakeBlock(text, &out)) return out;
#endif
  const size_t clean = CopyClean(text->substr(0, 16), out);
  out += clean;
  text->remove_prefix(clean);
  const bool escape = !text->empty() && kEscape[static_cast<unsigned char>(text->front())] != 0;
  return escape ? PutEscape(text, out) : out;
}

}  // namespace

void AppendJsonEscaped(absl::string_view text, OutBuffer* out) {
  char* const to = out->Room(text.size());
  const size_t clean = CopyClean(text, to);
  out->EndAt(to + clean);
  text.remove_prefix(clean);
  while (!text.empty()) out->EndAt(PutStep(&text, out->Room(kMostOfAStep)));
}

void AppendJsonString(absl::string_view text, OutBuffer* out) {
  char* const to = out->Room(text.size() + 2);
  *to = '"';
  const size_t clean = CopyClean(text, to + 1);
  char* const end = to + 1 + clean;
  if (clean == text.size()) {
    *end = '"';
    return out->EndAt(end + 1);
  }
  out->EndAt(end);
  AppendJsonEscaped(text.substr(clean), out);
  out->push_back('"');
}

void AppendJsonEscaped(absl::string_view text, std::string* out) {
  std::array<char, 1024> buffer;  // NOLINT: written before it is read
  char* const full = buffer.data() + buffer.size() - kMostOfAStep;
  while (!text.empty()) {
    char* end = buffer.data();
    while (!text.empty() && end <= full) end = PutStep(&text, end);
    out->append(buffer.data(), static_cast<size_t>(end - buffer.data()));
  }
}

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonEscaped(text, out);
  out->push_back('"');
}

}  // namespace walduct
