#include "base/utf8.h"

#include <cstring>

namespace walduct {
namespace {

struct Lead {
  uint8_t first, last;
  size_t length;
  uint8_t second_min, second_max;  // the second byte carries the overlong and surrogate rules
};
// Table 3-7 of the Unicode standard.
constexpr Lead kLeads[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

uint8_t ByteAt(absl::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

// 0 when the bytes at `at` are not a character.
size_t CharacterLength(absl::string_view text, size_t at) {
  for (const Lead& lead : kLeads) {
    if (ByteAt(text, at) < lead.first || ByteAt(text, at) > lead.last) continue;
    if (at + lead.length > text.size()) return 0;
    if (lead.length > 1 &&
        (ByteAt(text, at + 1) < lead.second_min || ByteAt(text, at + 1) > lead.second_max))
      return 0;
    for (size_t i = 2; i < lead.length; ++i) {
      if (!IsUtf8Continuation(text[at + i])) return 0;
    }
    return lead.length;
  }
  return 0;
}

// Bytes below 0x80 at the beginning, eight at a time.
size_t AsciiPrefix(absl::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t i = 0;
  for (uint64_t word = 0; i + sizeof(word) <= text.size(); i += sizeof(word)) {
    std::memcpy(&word, text.data() + i, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (i < text.size() && ByteAt(text, i) < 0x80) ++i;
  return i;
}

}  // namespace

bool IsValidUtf8(absl::string_view text) {
  for (size_t at = AsciiPrefix(text); at < text.size();) {
    const size_t length = CharacterLength(text, at);
    if (length == 0) return false;
    at += length;
    at += AsciiPrefix(text.substr(at));
  }
  return true;
}

std::string ReplaceInvalidUtf8(absl::string_view text) {
  std::string valid;
  for (size_t at = 0; at < text.size();) {
    const size_t length = CharacterLength(text, at);
    if (length == 0) {
      valid += "\xEF\xBF\xBD";
    } else {
      valid.append(text.data() + at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return valid;
}

void AppendUtf8(uint32_t code_point, std::string* out) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  const auto tail = [&](int shift) { put(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    put(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string Latin1ToUtf8(absl::string_view text) {
  std::string out;
  for (const char c : text) AppendUtf8(static_cast<uint8_t>(c), &out);
  return out;
}

}  // namespace walduct
