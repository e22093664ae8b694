#include "encode/formats/half_pair.h"

#include <cstdint>

#include "absl/strings/str_format.h"
#include "base/json_text.h"

namespace walduct::encode {
namespace {

constexpr size_t kSize = 3;

// Where the first one begins; the end of the text when there is none.
size_t FindHalfPair(absl::string_view text) {
  for (size_t i = 0; i + kSize <= text.size(); ++i) {
    if (text[i] == '\xED' && static_cast<unsigned char>(text[i + 1]) >= 0xA0) return i;
  }
  return text.size();
}

uint32_t Unit(absl::string_view half) {
  return 0xD000u | (static_cast<unsigned char>(half[1]) & 63u) << 6 |
         (static_cast<unsigned char>(half[2]) & 63u);
}

}  // namespace

void AppendJsonWithHalfPairs(absl::string_view text, OutBuffer* out) {
  out->push_back('"');
  while (true) {
    const size_t half = FindHalfPair(text);
    AppendJsonEscaped(text.substr(0, half), out);
    if (half == text.size()) break;
    out->append(absl::StrFormat("\\u%04X", Unit(text.substr(half))));
    text.remove_prefix(half + kSize);
  }
  out->push_back('"');
}

std::string WithoutHalfPairs(absl::string_view text) {
  std::string whole;
  while (true) {
    const size_t half = FindHalfPair(text);
    whole.append(text.data(), half);
    if (half == text.size()) return whole;
    whole.push_back('?');
    text.remove_prefix(half + kSize);
  }
}

}  // namespace walduct::encode
