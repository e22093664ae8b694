// An array of texts as PostgreSQL reads it. Pure.
#pragma once

#include <string>

#include "absl/types/span.h"

namespace walduct::poll {

inline std::string ArrayText(absl::Span<const std::string> items) {
  std::string out = "{";
  for (const std::string& item : items) {
    out.append(out.size() > 1 ? ",\"" : "\"");
    for (const char c : item) {
      if (c == '"' || c == '\\') out.push_back('\\');
      out.push_back(c);
    }
    out.push_back('"');
  }
  out.push_back('}');
  return out;
}

}  // namespace walduct::poll
