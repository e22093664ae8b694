// The table put together, and its look-ups. Built on first use; a few hundred rows.
#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "config/properties/definition.h"

namespace walduct::config {
namespace {

struct Index {
  std::vector<const PropertyDefinition*> all;
  std::vector<const PropertyDefinition*> patterns;
  absl::flat_hash_map<absl::string_view, const PropertyDefinition*> exact;
  absl::flat_hash_map<absl::string_view, const PropertyDefinition*> aliases;
};

void Add(absl::Span<const PropertyDefinition> part, Index* index) {
  for (const PropertyDefinition& definition : part) {
    index->all.push_back(&definition);
    if (definition.is_pattern()) {
      index->patterns.push_back(&definition);
    } else {
      CHECK(index->exact.emplace(definition.name, &definition).second);
    }
    for (const absl::string_view alias :
         absl::StrSplit(definition.aliases, ", ", absl::SkipEmpty())) {
      CHECK(index->aliases.emplace(alias, &definition).second);
    }
  }
}

const Index& TheIndex() {
  static const Index* const index = [] {
    auto* built = new Index();  // never destroyed: look-ups stay valid to the end of the process
    for (const auto part :
         {ConnectionDefinitions(), ReplicationDefinitions(), TopicDefinitions(),
          FilterDefinitions(), ValueDefinitions(), SnapshotDefinitions(), SignalDefinitions(),
          RuntimeDefinitions(), FrameworkDefinitions(), WorkerDefinitions(), KafkaDefinitions(),
          OffsetDefinitions(), WalductDefinitions()}) {
      Add(part, built);
    }
    return built;
  }();
  return *index;
}

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

constexpr std::array<absl::string_view, 12> kGroupTitles = {
    "Connection", "Replication", "Topics and records", "Filters",       "Values",   "Snapshot",
    "Signals",    "Runtime",     "Kafka Connect",      "Kafka clients", "Position", "walduct's own",
};
constexpr std::array<absl::string_view, 13> kTypeNames = {
    "string",    "password", "boolean", "int",        "int > 0", "int >= 0", "long > 0",
    "long >= 0", "enum",     "list",    "regex list", "regex",   "class",
};
constexpr std::array<absl::string_view, 4> kSupportNames = {
    "honoured", "no effect", "not yet (warned)", "not yet (refused)"};

}  // namespace

bool PropertyDefinition::is_pattern() const {
  return absl::StrContains(name, '<') || absl::EndsWith(name, "*");
}

absl::Span<const PropertyDefinition* const> AllDefinitions() { return TheIndex().all; }

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

const PropertyDefinition* FindDefinition(absl::string_view name) {
  const Index& index = TheIndex();
  if (const auto exact = index.exact.find(name); exact != index.exact.end()) return exact->second;
  if (const auto alias = index.aliases.find(name); alias != index.aliases.end())
    return alias->second;
  for (const PropertyDefinition* pattern : index.patterns) {
    if (MatchesName(pattern->name, name)) return pattern;
  }
  return nullptr;
}

std::optional<std::string> CurrentName(absl::string_view name) {
  const auto alias = TheIndex().aliases.find(name);
  if (alias == TheIndex().aliases.end()) return std::nullopt;
  return std::string(alias->second->name);
}

std::string NearestName(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const auto& [known, definition] : TheIndex().exact) names.push_back(known);
  return NearestOf(name, names);
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

absl::string_view GroupTitle(PropertyGroup group) {
  return kGroupTitles[static_cast<size_t>(group)];
}
absl::string_view TypeName(PropertyType type) { return kTypeNames[static_cast<size_t>(type)]; }
absl::string_view SupportName(Support support) {
  return kSupportNames[static_cast<size_t>(support)];
}

}  // namespace walduct::config
