#include "base/edit_distance.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"

namespace walduct {

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

std::vector<std::string> SimilarNames(absl::string_view misspelt,
                                      absl::Span<const std::string> names, size_t most) {
  const size_t near = std::min<size_t>(4, std::max<size_t>(1, (misspelt.size() + 1) / 3));
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& name : names) {
    const bool begins = misspelt.size() >= 2 && absl::StartsWith(name, misspelt);
    const size_t longer = std::max(name.size(), misspelt.size());
    if (!begins && longer - std::min(name.size(), misspelt.size()) > near) continue;
    const size_t distance = begins ? 1 : EditDistance(misspelt, name);
    if (distance <= near) found.emplace_back(distance, name);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> similar;
  // What is farther than the best is not meant.
  for (size_t i = 0; i < std::min(found.size(), most); ++i) {
    if (found[i].first == found.front().first) similar.push_back(std::move(found[i].second));
  }
  return similar;
}

}  // namespace walduct
