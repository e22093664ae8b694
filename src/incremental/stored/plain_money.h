// An amount of money as a number. Pure.
#pragma once

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace walduct::incremental {

// Without sign of currency and separators of thousands; in parentheses it is negative.
inline std::string PlainMoney(absl::string_view text) {
  std::string plain = absl::StrContains(text, '(') || absl::StrContains(text, '-') ? "-" : "";
  for (const char c : text) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.') plain.push_back(c);
  }
  return plain;
}

}  // namespace walduct::incremental
