#include "engine/configuration/shared_prefixes.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace walduct::engine {
namespace {

constexpr size_t kMostNamed = 5;

}  // namespace

void SharedPrefixes::Add(const ConnectorNames& names) {
  if (!names.prefix.empty()) by_prefix_[names.prefix].insert(names.called.name);
}

std::string SharedPrefixes::TextOf(const ConnectorNames& names) const {
  const auto found = by_prefix_.find(names.prefix);
  if (found == by_prefix_.end()) return "";
  std::vector<absl::string_view> others;
  for (const std::string& name : found->second) {
    if (name != names.called.name) others.push_back(name);
    if (others.size() == kMostNamed) break;
  }
  if (others.empty()) return "";
  const size_t all = found->second.size() - found->second.count(names.called.name);
  return absl::StrCat(
      "topic.prefix '", names.prefix, "' is that of connector ", absl::StrJoin(others, ", "),
      all > others.size() ? absl::StrCat(" and ", all - others.size(), " more") : "",
      ", too: tables of one name go to the same topics, and the series "
      "debezium_metrics_ of both have the same labels");
}

}  // namespace walduct::engine
