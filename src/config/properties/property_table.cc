#include "config/properties/property_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "config/properties/names.h"

namespace walduct::config {

PropertyTable::PropertyTable(std::vector<PropertySection> sections)
    : sections_(std::move(sections)) {
  for (const PropertySection& section : sections_) {
    for (const PropertyDefinition& definition : section.rows) Add(definition);
  }
}

void PropertyTable::Add(const PropertyDefinition& definition) {
  all_.push_back(&definition);
  if (definition.is_pattern()) {
    patterns_.push_back(&definition);
  } else {
    CHECK(exact_.emplace(definition.name, &definition).second);
  }
  for (const absl::string_view alias :
       absl::StrSplit(definition.aliases, ", ", absl::SkipEmpty())) {
    CHECK(aliases_.emplace(alias, &definition).second);
  }
}

const PropertyDefinition* PropertyTable::Find(absl::string_view name) const {
  if (const auto exact = exact_.find(name); exact != exact_.end()) return exact->second;
  if (const auto alias = aliases_.find(name); alias != aliases_.end()) return alias->second;
  for (const PropertyDefinition* pattern : patterns_) {
    if (MatchesName(pattern->name, name)) return pattern;
  }
  return nullptr;
}

std::optional<std::string> PropertyTable::CurrentName(absl::string_view name) const {
  const auto alias = aliases_.find(name);
  if (alias == aliases_.end()) return std::nullopt;
  return std::string(alias->second->name);
}

const PropertyDefinition* PropertyTable::MeantToHide(absl::string_view name) const {
  const PropertyDefinition* meant = nullptr;
  size_t most = 0;
  for (const PropertyDefinition* pattern : patterns_) {
    if (pattern->hides.empty() || !absl::StartsWith(name, pattern->hides)) continue;
    const auto ends =
        std::mismatch(name.begin(), name.end(), pattern->name.begin(), pattern->name.end());
    const auto shared = static_cast<size_t>(ends.first - name.begin());
    if (meant != nullptr && shared <= most) continue;
    meant = pattern;
    most = shared;
  }
  return meant;
}

std::string PropertyTable::NearestName(absl::string_view name) const {
  std::vector<absl::string_view> names;
  for (const auto& [known, definition] : exact_) names.push_back(known);
  return NearestOf(name, names);
}

}  // namespace walduct::config
