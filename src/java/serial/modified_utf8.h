// Java's "modified UTF-8", in which object streams write text: NUL takes two bytes, a character
// beyond U+FFFF three for each half of its pair. Pure.
// Source: the documentation of java.io.DataInput, "Modified UTF-8"
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::java {

// In bytes, of text in UTF-8.
size_t ModifiedUtf8Size(absl::string_view text);
void AppendModifiedUtf8(absl::string_view text, std::string* out);

// Back to UTF-8; half a pair becomes U+FFFD. nullopt: not modified UTF-8.
std::optional<std::string> FromModifiedUtf8(absl::string_view bytes);

}  // namespace walduct::java
