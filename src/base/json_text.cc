#include "base/json_text.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace walduct {
namespace {

// 0: copy as is; 'u': \u00XX; anything else: the letter after the backslash.
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
  return table;
}();

// True when one of the eight bytes is below 0x20, '"' or '\\' (a superset by SWAR; exact test follows).
inline bool MayNeedEscape(uint64_t word) {
  constexpr uint64_t kOnes = 0x0101010101010101ULL;
  constexpr uint64_t kHigh = 0x8080808080808080ULL;
  const uint64_t quote = word ^ (kOnes * '"');
  const uint64_t slash = word ^ (kOnes * '\\');
  const uint64_t hits = ((word - kOnes * 0x20) & ~word) | ((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash);
  return (hits & kHigh) != 0;
}

size_t CleanPrefix(absl::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (MayNeedEscape(word)) break;
  }
  while (i < text.size() && kEscape[static_cast<unsigned char>(text[i])] == 0) ++i;
  return i;
}

void AppendEscape(unsigned char c, std::string* out) {
  constexpr char kHex[] = "0123456789ABCDEF";
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
    AppendEscape(static_cast<unsigned char>(text[clean]), out);
    text.remove_prefix(clean + 1);
  }
}

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonEscaped(text, out);
  out->push_back('"');
}

}  // namespace walduct
