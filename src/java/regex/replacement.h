// The replacement text of java.util.regex.Matcher.replaceFirst, taken apart. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::java {

// Literal text, then the text of a group.
struct ReplacementPart {
  std::string literal;
  int group = -1;    // by number; -1: by name, or none
  std::string name;  // by name
};

// groups: how many the expression has. $12 is group 12 when there is one, else group 1 and a 2.
// InvalidArgument says what is wrong.
absl::StatusOr<std::vector<ReplacementPart>> ParseReplacement(absl::string_view replacement,
                                                              uint32_t groups);

}  // namespace walduct::java
