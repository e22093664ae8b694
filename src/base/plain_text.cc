#include "base/plain_text.h"

#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace walduct {
namespace {

bool IsAnyOf(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

// C0, DEL and C1; ends of lines and changes of direction of Unicode.
bool IsControl(char32_t code) {
  return code < 0x20 || IsAnyOf(code, 0x7F, 0x9F) || code == 0x200E || code == 0x200F ||
         IsAnyOf(code, 0x2028, 0x202E) || IsAnyOf(code, 0x2066, 0x2069);
}

void AppendEscaped(char32_t code, std::string* out) {
  switch (code) {
    case '\n':
      *out += "\\n";
      return;
    case '\r':
      *out += "\\r";
      return;
    case '\t':
      *out += "\\t";
      return;
    default:
      absl::StrAppendFormat(out, "\\u%04X", static_cast<uint32_t>(code));
  }
}

}  // namespace

bool IsPlainText(absl::string_view text) {
  if (!IsValidUtf8(text)) return false;
  while (!text.empty()) {
    const Utf8Character character = FirstCharacter(text);
    if (IsControl(character.code)) return false;
    text.remove_prefix(character.size);
  }
  return true;
}

std::string PlainText(absl::string_view text) {
  if (IsPlainText(text)) return std::string(text);
  const std::string valid = ReplaceInvalidUtf8(text);
  std::string out;
  absl::string_view rest = valid;
  while (!rest.empty()) {
    const Utf8Character character = FirstCharacter(rest);
    if (IsControl(character.code)) {
      AppendEscaped(character.code, &out);
    } else {
      out.append(rest.data(), character.size);
    }
    rest.remove_prefix(character.size);
  }
  return out;
}

}  // namespace walduct
