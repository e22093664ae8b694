#include "serve/plugins/versions.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace walduct::serve {
namespace {

// A part that says nothing, as Maven counts it.
std::string PartAt(const std::vector<std::string>& parts, size_t i) {
  const std::string part = i < parts.size() ? absl::AsciiStrToLower(parts[i]) : "0";
  return part == "final" || part == "ga" || part == "release" ? "0" : part;
}

int Compare(absl::string_view one, absl::string_view other) {
  const std::vector<std::string> left = absl::StrSplit(one, absl::ByAnyChar(".-"));
  const std::vector<std::string> right = absl::StrSplit(other, absl::ByAnyChar(".-"));
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::string a = PartAt(left, i);
    const std::string b = PartAt(right, i);
    int x = 0;
    int y = 0;
    if (absl::SimpleAtoi(a, &x) && absl::SimpleAtoi(b, &y)) {
      if (x != y) return x < y ? -1 : 1;
    } else if (a != b) {
      return a < b ? -1 : 1;
    }
  }
  return 0;
}

bool IsRange(absl::string_view text) {
  return absl::StartsWith(text, "[") || absl::StartsWith(text, "(");
}

// "[3.0,4.0)", "[3.0]"; several are alternatives.
bool Lies(absl::string_view version, absl::string_view ranges) {
  while (IsRange(ranges)) {
    const size_t end = ranges.find_first_of("])");
    const std::vector<absl::string_view> bounds =
        absl::StrSplit(ranges.substr(1, end - 1), absl::MaxSplits(',', 1));
    const int low = bounds[0].empty() ? 1 : Compare(version, bounds[0]);
    const int high = bounds.back().empty() ? -1 : Compare(version, bounds.back());
    const bool above = low > 0 || (low == 0 && ranges[0] == '[');
    const bool below = high < 0 || (high == 0 && ranges[end] == ']');
    if (above && below) return true;
    const size_t next = ranges.find_first_of("[(", end);
    ranges = next == absl::string_view::npos ? "" : ranges.substr(next);
  }
  return false;
}

}  // namespace

std::string VersionError(const Plugin& plugin, absl::string_view asked) {
  asked = absl::StripAsciiWhitespace(asked);
  if (asked == "latest") return "";
  std::string range(asked);
  if (!IsRange(asked)) {
    const bool two = absl::StrContains(asked, ",");
    range = two ? absl::StrCat("[", asked, "]") : absl::StrCat("[", asked, ",", asked, "]");
  } else if (asked.find_first_of("])") == absl::string_view::npos) {
    return absl::StrCat("Unbounded range: ", asked);
  }
  if (!asked.empty() && Lies(plugin.version(), range)) return "";
  // Connect counts a class once for each type that it has.
  std::vector<std::string> versions;
  for (const Plugin& one : AllPlugins()) {
    if (one.class_name == plugin.class_name) versions.push_back(one.version());
  }
  return absl::StrCat("Plugin ", plugin.class_name, " not found that matches the version range ",
                      range, ", available versions: [", absl::StrJoin(versions, ", "), "]");
}

}  // namespace walduct::serve
