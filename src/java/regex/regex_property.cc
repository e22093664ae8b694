// The names Java accepts in \p{…}: ASCII classes of POSIX, Unicode categories, Is-prefixed scripts
// and binary properties, and java.lang.Character methods. PCRE2 10.42 gives Alpha, Lower, … their
// Unicode meaning, hence the explicit ranges.
#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "java/regex/regex_translator.h"

namespace walduct::java {
namespace {

struct Property {
  absl::string_view java;
  absl::string_view pcre;
  absl::string_view pcre_case_insensitive;  // empty: the same
};

// Java widens the classes that mean a letter case when the pattern ignores case.
constexpr Property kProperties[] = {
    {"Lower", "a-z", "a-zA-Z"},
    {"Upper", "A-Z", "a-zA-Z"},
    {"ASCII", R"(\x{0}-\x{7f})", ""},
    {"Alpha", "a-zA-Z", ""},
    {"Digit", "0-9", ""},
    {"Alnum", "a-zA-Z0-9", ""},
    {"Punct", R"(!-\/:-@\[-`{-~)", ""},
    {"Graph", "!-~", ""},
    {"Print", R"(\x{20}-~)", ""},
    {"Blank", R"(\x{20}\x{9})", ""},
    {"Cntrl", R"(\x{0}-\x{1f}\x{7f})", ""},
    {"XDigit", "0-9a-fA-F", ""},
    {"Space", R"(\x{9}-\x{d}\x{20})", ""},
    {"LC", R"(\p{L&})", ""},
    {"Lu", R"(\p{Lu})", R"(\p{L&})"},
    {"Ll", R"(\p{Ll})", R"(\p{L&})"},
    {"Lt", R"(\p{Lt})", R"(\p{L&})"},
    {"L1", R"(\x{0}-\x{ff})", ""},
    {"all", R"(\x{0}-\x{10ffff})", ""},
    {"IsAlphabetic", R"(\p{Alphabetic})", ""},
    {"IsIdeographic", R"(\p{Ideographic})", ""},
    {"IsLetter", R"(\p{L})", ""},
    {"IsLowercase", R"(\p{Lowercase})", R"(\p{Lowercase}\p{Uppercase}\p{Lt})"},
    {"IsUppercase", R"(\p{Uppercase})", R"(\p{Lowercase}\p{Uppercase}\p{Lt})"},
    {"IsTitlecase", R"(\p{Lt})", R"(\p{Lowercase}\p{Uppercase}\p{Lt})"},
    {"IsPunctuation", R"(\p{P})", ""},
    {"IsControl", R"(\p{Cc})", ""},
    {"IsWhite_Space", R"(\p{White_Space})", ""},
    {"IsDigit", R"(\p{Nd})", ""},
    {"IsHex_Digit", R"(\p{Hex_Digit})", ""},
    {"IsAssigned", R"(\P{Cn})", ""},
    {"javaAlphabetic", R"(\p{Alphabetic})", ""},
    {"javaLetter", R"(\p{L})", ""},
    {"javaDigit", R"(\p{Nd})", ""},
    {"javaLetterOrDigit", R"(\p{L}\p{Nd})", ""},
    {"javaLowerCase", R"(\p{Lowercase})", R"(\p{Lowercase}\p{Uppercase}\p{Lt})"},
    {"javaUpperCase", R"(\p{Uppercase})", R"(\p{Lowercase}\p{Uppercase}\p{Lt})"},
};

constexpr absl::string_view kCategories[] = {
    "C",  "Cc", "Cf", "Cn", "Co", "Cs", "L",  "Lm", "Lo", "M",  "Mc", "Me",
    "Mn", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Pe", "Pf", "Pi", "Po",
    "Ps", "S",  "Sc", "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs",
};

const Property* FindProperty(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kProperties), std::end(kProperties),
                                   [&](const Property& p) { return p.java == name; });
  return found == std::end(kProperties) ? nullptr : found;
}

bool IsWord(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

// Java's script is the code point's own script; PCRE2's bare name means script extensions
// since 10.40.
std::string Script(absl::string_view name) { return absl::StrCat("\\p{sc:", name, "}"); }

absl::StatusOr<std::string> Unsupported(absl::string_view name) {
  return absl::InvalidArgumentError(absl::StrCat(
      "\\p{", name,
      "} is not a supported character property; write the characters as a class such as [a-z]"));
}

}  // namespace

absl::StatusOr<std::string> TranslateProperty(absl::string_view name, bool case_insensitive) {
  absl::string_view bare = name;
  if (absl::ConsumePrefix(&bare, "general_category=") || absl::ConsumePrefix(&bare, "gc=")) {
    return TranslateProperty(bare, case_insensitive);
  }
  if (absl::ConsumePrefix(&bare, "script=") || absl::ConsumePrefix(&bare, "sc=")) {
    return IsWord(bare) ? Script(bare) : Unsupported(name);
  }
  if (const Property* property = FindProperty(name)) {
    const bool widen = case_insensitive && !property->pcre_case_insensitive.empty();
    return std::string(widen ? property->pcre_case_insensitive : property->pcre);
  }
  if (std::find(std::begin(kCategories), std::end(kCategories), name) != std::end(kCategories)) {
    return absl::StrCat("\\p{", name, "}");
  }
  if (absl::ConsumePrefix(&bare, "Is") && IsWord(bare)) {
    if (FindProperty(bare) != nullptr || bare.size() <= 2)
      return TranslateProperty(bare, case_insensitive);
    return Script(bare);
  }
  return Unsupported(name);
}

}  // namespace walduct::java
