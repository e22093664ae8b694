#include "java/serial/modified_utf8.h"

#include "base/utf8.h"

namespace walduct::java {
namespace {

void AppendUnit(char16_t unit, std::string* out) {
  const auto append = [&](int byte) { out->push_back(static_cast<char>(byte)); };
  if (unit != 0 && unit < 0x80) {
    append(unit);
  } else if (unit < 0x800) {
    append(0xC0 | unit >> 6);
    append(0x80 | (unit & 0x3F));
  } else {
    append(0xE0 | unit >> 12);
    append(0x80 | (unit >> 6 & 0x3F));
    append(0x80 | (unit & 0x3F));
  }
}

// Takes a unit's bytes from the front.
std::optional<uint32_t> TakeUnit(absl::string_view* bytes) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>((*bytes)[i]); };
  const uint8_t lead = byte(0);
  const size_t size = lead < 0x80 ? 1 : (lead & 0xE0) == 0xC0 ? 2 : (lead & 0xF0) == 0xE0 ? 3 : 0;
  if (size == 0 || bytes->size() < size) return std::nullopt;
  uint32_t unit = size == 1 ? lead : lead & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if (!IsUtf8Continuation((*bytes)[i])) return std::nullopt;
    unit = unit << 6 | (byte(i) & 0x3F);
  }
  bytes->remove_prefix(size);
  return unit;
}

}  // namespace

size_t ModifiedUtf8Size(absl::string_view text) {
  size_t size = 0;
  ForEachUtf16Unit(text, [&](char16_t unit) {
    size += unit != 0 && unit < 0x80 ? 1u : unit < 0x800 ? 2u : 3u;
  });
  return size;
}

void AppendModifiedUtf8(absl::string_view text, std::string* out) {
  ForEachUtf16Unit(text, [&](char16_t unit) { AppendUnit(unit, out); });
}

std::optional<std::string> FromModifiedUtf8(absl::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    std::optional<uint32_t> unit = TakeUnit(&bytes);
    if (!unit) return std::nullopt;
    if (IsHighSurrogate(*unit) && !bytes.empty()) {
      absl::string_view rest = bytes;
      const std::optional<uint32_t> low = TakeUnit(&rest);
      if (low && IsLowSurrogate(*low)) {
        unit = JoinSurrogates(*unit, *low);
        bytes = rest;
      }
    }
    const bool half = IsHighSurrogate(*unit) || IsLowSurrogate(*unit);
    AppendUtf8(half ? 0xFFFD : *unit, &text);
  }
  return text;
}

}  // namespace walduct::java
