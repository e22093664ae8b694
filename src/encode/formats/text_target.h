// TextTarget: where and in which of the text formats values are written. Binary formats have
// targets of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "base/out_buffer.h"

namespace walduct::encode {

enum class TextFormat : uint8_t {
  kJson,    // payload of JsonConverter
  kHeader,  // inside a struct that SimpleHeaderConverter prints
  kStruct,  // inside a struct that StringConverter prints: Java's Struct.toString()
};
inline constexpr size_t kTextFormats = 3;
inline size_t Index(TextFormat format) { return static_cast<size_t>(format); }

// One text per TextFormat.
using Texts = std::array<std::string, kTextFormats>;

struct TextTarget {
  OutBuffer* out = nullptr;
  TextFormat format = TextFormat::kJson;
  bool decimal_numeric = false;  // JSON: decimal.format=NUMERIC
  bool map_entries = false;  // JSON: {"key":…,"value":…} in a map without text keys, not a pair
  bool nested_arrays = false;  // several dimensions may be written as arrays in arrays
};

// Appends text as a string of the format: quoted and escaped for JSON, quoted for headers, bare for
// structs.
void AppendText(absl::string_view text, const TextTarget* target);

}  // namespace walduct::encode
