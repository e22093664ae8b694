#include "base/percent.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

namespace walduct {
namespace {

bool IsHex(char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); }

}  // namespace

std::string EncodePercent(absl::string_view text, absl::string_view plain) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || plain.find(c) != absl::string_view::npos) {
      encoded += c;
    } else {
      encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return encoded;
}

std::string DecodePercent(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && IsHex(text[i + 1]) && IsHex(text[i + 2])) {
      decoded += absl::HexStringToBytes(text.substr(i + 1, 2));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

}  // namespace walduct
