// UTF-8: validity, repair, and counting as Java counts, in UTF-16 units (two for a character beyond
// U+FFFF). Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct {

// Well-formed as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsValidUtf8(absl::string_view text);
// U+FFFD in the place of every byte that is not part of a character.
std::string ReplaceInvalidUtf8(absl::string_view text);
void AppendUtf8(uint32_t code_point, std::string* out);
std::string Latin1ToUtf8(absl::string_view text);

// True for every byte of a character but its first.
inline bool IsUtf8Continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The longest beginning of text of at most that many bytes; a character is never split.
inline absl::string_view Utf8Prefix(absl::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && IsUtf8Continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

// A character beyond U+FFFF is two units in UTF-16, and two escapes in JSON and properties.
inline bool IsHighSurrogate(uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
inline bool IsLowSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }
constexpr uint32_t JoinSurrogates(uint32_t high, uint32_t low) {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

// What follows expects UTF-8, as PostgreSQL sends it; a byte that is not part of a character counts
// as one unit.
struct Utf8Character {
  char32_t code = 0;
  size_t size = 1;  // in bytes

  size_t utf16_units() const { return code > 0xFFFF ? 2 : 1; }
  // The first unit of a pair, or the only one.
  char16_t first_unit() const {
    return static_cast<char16_t>(code > 0xFFFF ? 0xD800 + ((code - 0x10000) >> 10) : code);
  }
  char16_t second_unit() const {
    return static_cast<char16_t>(0xDC00 + ((code - 0x10000) & 0x3FF));
  }
};

// The character at the beginning of a text that is not empty.
inline Utf8Character FirstCharacter(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (size == 1 || size > text.size()) return {lead, 1};
  char32_t code = lead & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1};
    code = code << 6 | (byte(i) & 0x3F);
  }
  return {code, size};
}

// Calls f with each unit.
template <typename F>
void ForEachUtf16Unit(absl::string_view text, F f) {
  while (!text.empty()) {
    const Utf8Character character = FirstCharacter(text);
    f(character.first_unit());
    if (character.utf16_units() == 2) f(character.second_unit());
    text.remove_prefix(character.size);
  }
}

// The text's length for Java.
inline size_t Utf16Length(absl::string_view text) {
  size_t units = 0;
  ForEachUtf16Unit(text, [&](char16_t) { ++units; });
  return units;
}

// The longest beginning of text of at most that many units; a character is never split.
inline absl::string_view Utf16Prefix(absl::string_view text, size_t units) {
  size_t size = 0;
  while (size < text.size()) {
    const Utf8Character character = FirstCharacter(text.substr(size));
    if (character.utf16_units() > units) break;
    units -= character.utf16_units();
    size += character.size;
  }
  return text.substr(0, size);
}

}  // namespace walduct
