// java.util.regex syntax to PCRE2 syntax. Only the constructs whose meaning differs are rewritten;
// what PCRE2 10.42 cannot express is refused, never approximated. Pure functions, thread-safe.
//
//   rewritten: \uXXXX, \xHH, \0nnn, \cX, \Q…\E, POSIX-like \p{Alpha} (ASCII in Java), \p{IsLatin},
//              \p{sc=…}, \p{gc=…}, \p{javaXxx}, back references, flags d and u
//   refused:   class unions [a[b]] and intersections [a&&b], \p{InBlock}, \b{g}, \N{name}, flags x
//              and U, a quantifier after a quantifier, a lone '{', and every PCRE2 construct that
//              Java does not have: (?|…), (?R), (*VERB), \K, \g, …
//
// Known and accepted: with case-insensitive matching PCRE2 folds É/é too, Java only ASCII letters.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::java {

// InvalidArgument: "<what is wrong> at offset <n>", the offset counted in bytes of the pattern.
absl::StatusOr<std::string> TranslateRegex(absl::string_view pattern, bool case_insensitive);

// \p{name} as the inside of a PCRE2 character class, e.g. "a-zA-Z" for Alpha or "\p{Lu}" for Lu.
absl::StatusOr<std::string> TranslateProperty(absl::string_view name, bool case_insensitive);

}  // namespace walduct::java
