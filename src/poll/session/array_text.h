// An array of texts as PostgreSQL reads it. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::poll {

// Of what stands between its braces.
inline void AppendItem(absl::string_view item, std::string* items) {
  items->append(items->empty() ? "\"" : ",\"");
  if (item.find_first_of("\"\\") == absl::string_view::npos) {
    items->append(item.data(), item.size());
  } else {
    for (const char c : item) {
      if (c == '"' || c == '\\') items->push_back('\\');
      items->push_back(c);
    }
  }
  items->push_back('"');
}

inline std::string ArrayText(absl::Span<const std::string> items) {
  std::string text;
  for (const std::string& item : items) AppendItem(item, &text);
  return "{" + text + "}";
}

}  // namespace walduct::poll
