#include "kafka/lines/line_groups.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace walduct::kafka {
namespace {

constexpr absl::Duration kPeriod = absl::Seconds(10);
constexpr size_t kMostKinds = 100;  // of more each line is written

// "orders[3]:", "[3]".
bool HasPartition(absl::string_view word) {
  const size_t open = word.find('[');
  return open != absl::string_view::npos && open + 1 < word.size() &&
         absl::ascii_isdigit(static_cast<unsigned char>(word[open + 1]));
}

// "kafka-1:9092", "ssl://10.0.0.5:9092": of which broker, or of which cluster, is no number.
bool IsAddress(absl::string_view word) {
  const size_t colon = word.rfind(':', word.size() < 2 ? 0 : word.size() - 2);
  return absl::StrContains(word, "://") ||
         (colon != absl::string_view::npos && colon > 0 && colon + 1 < word.size() &&
          absl::ascii_isdigit(static_cast<unsigned char>(word[colon + 1])));
}

}  // namespace

std::string KindOfLine(absl::string_view facility, absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  std::string kind(facility);
  for (size_t i = 0; i < words.size(); ++i) {
    const bool topic = i + 1 < words.size() && !words[i + 1].empty() &&
                       words[i + 1].front() == '[' && HasPartition(words[i + 1]);
    if (topic || HasPartition(words[i])) {
      kind += " *";
      continue;
    }
    kind += ' ';
    if (IsAddress(words[i])) {
      absl::StrAppend(&kind, words[i]);
      continue;
    }
    for (const char c : words[i]) {
      const bool digit = absl::ascii_isdigit(static_cast<unsigned char>(c));
      if (!digit) kind += c;
      if (digit && kind.back() != '#') kind += '#';
    }
  }
  return kind;
}

bool LineGroups::Admit(absl::Duration now, absl::string_view facility, absl::string_view text) {
  std::string kind = KindOfLine(facility, text);
  const auto found = groups_.find(kind);
  if (found == groups_.end()) {
    if (groups_.size() < kMostKinds) groups_[std::move(kind)] = {.since = now, .withheld = {}};
    return true;
  }
  Withheld& withheld = found->second.withheld;
  withheld.facility = std::string(facility);
  withheld.text = std::string(text);
  ++withheld.count;
  return false;
}

std::vector<LineGroups::Withheld> LineGroups::Take(absl::Duration now) {
  std::vector<Withheld> all;
  for (auto it = groups_.begin(); it != groups_.end();) {
    const auto group = it++;
    if (now - group->second.since < kPeriod) continue;
    if (group->second.withheld.count == 0) {
      groups_.erase(group);
      continue;
    }
    all.push_back(std::move(group->second.withheld));
    group->second = {.since = now, .withheld = {}};
  }
  return all;
}

}  // namespace walduct::kafka
