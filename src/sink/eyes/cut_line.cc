#include "sink/eyes/cut_line.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace walduct::sink {
namespace {

constexpr absl::string_view kReset = "\x1b[0m";

struct Range {
  char32_t first, last;
};
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                           {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                           {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range kCombined[] = {
    {0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

template <size_t n>
bool IsOneOf(char32_t code, const Range (&ranges)[n]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

size_t ColumnsOf(char32_t code) {
  if (IsOneOf(code, kCombined)) return 0;
  return IsOneOf(code, kWide) ? 2 : 1;
}

// The longest beginning that is not wider.
absl::string_view Fitting(absl::string_view text, size_t columns) {
  size_t size = 0;
  while (size < text.size()) {
    const Utf8Character character = FirstCharacter(text.substr(size));
    const size_t needs = ColumnsOf(character.code);
    if (needs > columns) break;
    columns -= needs;
    size += character.size;
  }
  return text.substr(0, size);
}

}  // namespace

size_t ColumnsOf(absl::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const Utf8Character character = FirstCharacter(text);
    columns += ColumnsOf(character.code);
    text.remove_prefix(character.size);
  }
  return columns;
}

void CutLine::Add(absl::string_view colour, absl::string_view text) {
  if (!text.empty()) parts_.push_back({std::string(colour), std::string(text)});
}

void CutLine::AddPadded(absl::string_view colour, absl::string_view text, size_t columns) {
  Add(colour, text);
  const size_t width = ColumnsOf(text);
  if (width < columns) Add("", std::string(columns - width, ' '));
}

std::string CutLine::Take(bool coloured, size_t columns) {
  size_t all = 0;
  for (const Part& part : parts_) all += ColumnsOf(part.text);
  const bool cut = columns > 0 && all > columns;
  size_t left = cut ? columns - 1 : all;
  std::string line;
  for (const Part& part : parts_) {
    const absl::string_view text = Fitting(part.text, left);
    const bool last = text.size() < part.text.size();
    left -= ColumnsOf(text);
    if (coloured && !part.colour.empty()) {
      absl::StrAppend(&line, part.colour, text, kReset);
    } else {
      absl::StrAppend(&line, text);
    }
    if (last) break;
  }
  parts_.clear();
  return absl::StrCat(line, cut ? "…" : "", "\n");
}

}  // namespace walduct::sink
