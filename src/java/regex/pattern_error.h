// PatternError: what java.util.regex says of a pattern that is none.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::java {

// The message of its PatternSyntaxException for what people get wrong: brackets, repetitions and
// backslashes. "": nothing of these is wrong, or the pattern has quotations or other characters
// than ASCII's.
std::string PatternError(absl::string_view pattern);

}  // namespace walduct::java
