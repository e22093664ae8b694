#include "config/properties/names.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "base/edit_distance.h"

namespace walduct::config {

bool MatchesName(absl::string_view pattern, absl::string_view text) {
  while (!pattern.empty() && pattern[0] != '<') {
    if (pattern == "*") return true;
    if (text.empty() || text[0] != pattern[0]) return false;
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
  if (pattern.empty()) return text.empty();
  const absl::string_view rest = pattern.substr(pattern.find('>') + 1);
  for (size_t length = 1; length <= text.size(); ++length) {
    if (MatchesName(rest, text.substr(length))) return true;
  }
  return false;
}

std::string NearestOf(absl::string_view name, absl::Span<const absl::string_view> names) {
  size_t best = std::min<size_t>(5, std::max<size_t>(2, name.size() / 3)) + 1;
  absl::string_view nearest;
  for (const absl::string_view known : names) {
    // A name cut short ("database.host") is nearer to its whole than to any sibling.
    const size_t distance = absl::StartsWith(known, name) ? 1 : EditDistance(name, known);
    // The smaller name among equals: the map's order must not show.
    if (distance < best || (distance == best && !nearest.empty() && known < nearest)) {
      best = distance;
      nearest = known;
    }
  }
  return std::string(nearest);
}

}  // namespace walduct::config
