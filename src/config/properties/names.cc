#include "config/properties/names.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"

namespace walduct::config {
namespace {

// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

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
