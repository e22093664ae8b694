#include "names/topic_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace walduct::names {

bool IsTopicName(absl::string_view name) {
  constexpr size_t kMaxSize = 249;
  if (name.empty() || name.size() > kMaxSize || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace walduct::names
