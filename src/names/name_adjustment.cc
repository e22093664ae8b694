#include "names/name_adjustment.h"

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace walduct::names {
namespace {

bool IsLetter(char16_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char16_t c) { return c >= '0' && c <= '9'; }

// Two digits are filled up to four, three are left as they are: Debezium's form.
void AppendEscape(char16_t c, std::string* out) {
  const std::string hex = absl::StrCat(absl::Hex(static_cast<uint16_t>(c)));
  absl::StrAppend(out, "_u", hex.size() <= 2 ? "00" : "", hex);
}

std::string Adjust(absl::string_view name, NameAdjustment mode, bool keep_dots) {
  if (mode == NameAdjustment::kNone) return std::string(name);
  const bool unicode = mode == NameAdjustment::kAvroUnicode;
  std::string adjusted;
  bool first = true;
  ForEachUtf16Unit(name, [&](char16_t c) {
    const bool start = IsLetter(c) || (c == '_' && !unicode);
    const bool inside = start || IsDigit(c) || (c == '.' && keep_dots);
    if (first ? start : inside) {
      adjusted.push_back(static_cast<char>(c));
    } else if (unicode) {
      AppendEscape(c, &adjusted);
    } else {
      adjusted.push_back('_');
      // A digit may not begin a name, but may follow.
      if (first && IsDigit(c)) adjusted.push_back(static_cast<char>(c));
    }
    first = false;
  });
  return adjusted;
}

}  // namespace

std::string AdjustSchemaName(absl::string_view name, NameAdjustment mode) {
  return Adjust(name, mode, true);
}

std::string AdjustFieldName(absl::string_view name, NameAdjustment mode) {
  return Adjust(name, mode, false);
}

}  // namespace walduct::names
