// UTF-8 for the readers of configuration text. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::config {

// Well-formed as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsValidUtf8(absl::string_view text);
// U+FFFD in the place of every byte that is not part of a character.
std::string ReplaceInvalidUtf8(absl::string_view text);
void AppendUtf8(uint32_t code_point, std::string* out);
std::string Latin1ToUtf8(absl::string_view text);

}  // namespace walduct::config
