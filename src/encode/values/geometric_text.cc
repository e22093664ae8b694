#include "encode/values/geometric_text.h"

#include <charconv>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

constexpr uint32_t kEwkbHasSrid = 0x20000000;
constexpr size_t kEwkbHead = 5;  // byte order, type

// What float8out writes, taken off the front of the text.
bool TakeDouble(absl::string_view* text, double* value) {
  const absl::string_view digits = absl::StartsWith(*text, "-") ? text->substr(1) : *text;
  const bool word = absl::StartsWith(digits, "Infinity") || absl::StartsWith(*text, "NaN");
  if (!word && (digits.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(digits[0]))))
    return false;
  const char* end = text->data() + text->size();
  const auto result = std::from_chars(text->data(), end, *value);
  if (result.ec != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(result.ptr - text->data()));
  return true;
}

uint32_t HexValue(char c) {
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return static_cast<uint32_t>(lower <= '9' ? lower - '0' : lower - 'a' + 10);
}

uint32_t ByteAt(absl::string_view hex, size_t index) {
  return HexValue(hex[2 * index]) << 4 | HexValue(hex[2 * index + 1]);
}

// A 32-bit number at this byte, in the byte order that the first byte says.
uint32_t NumberAt(absl::string_view hex, size_t index) {
  const bool little = ByteAt(hex, 0) != 0;
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) {
    const uint32_t byte = ByteAt(hex, index + i);
    number |= byte << 8 * (little ? i : 3 - i);
  }
  return number;
}

}  // namespace

bool ParsePoint(absl::string_view text, double* x, double* y) {
  return absl::ConsumePrefix(&text, "(") && TakeDouble(&text, x) &&
         absl::ConsumePrefix(&text, ",") && TakeDouble(&text, y) && text == ")";
}

void PutPointWkb(double x, double y, char* to) {
  std::memcpy(to, "\x01\x01\0\0\0", kEwkbHead);
  std::memcpy(to + kEwkbHead, &x, sizeof(x));
  std::memcpy(to + kEwkbHead + sizeof(x), &y, sizeof(y));
}

bool ToJavaNumbers(absl::string_view text, std::string* out) {
  out->clear();
  while (!text.empty()) {
    double value = 0;
    if (TakeDouble(&text, &value)) {
      java::AppendDouble(value, out);
      continue;
    }
    if (!absl::StrContains("()[]{}<>,", text[0])) return false;
    out->push_back(text[0]);
    text.remove_prefix(1);
  }
  return !out->empty();
}

std::optional<int32_t> SridOf(absl::string_view hex) {
  if ((NumberAt(hex, 1) & kEwkbHasSrid) == 0) return std::nullopt;
  return static_cast<int32_t>(NumberAt(hex, kEwkbHead));
}

}  // namespace walduct::encode
