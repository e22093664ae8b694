#include "engine/configuration/shared_prefixes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace walduct::engine {

void SharedPrefixes::Add(const ConnectorNames& names) {
  if (!names.prefix.empty()) by_prefix_[names.prefix].insert(names.called.name);
}

std::string SharedPrefixes::TextOf(const ConnectorNames& names) const {
  const auto found = by_prefix_.find(names.prefix);
  if (found == by_prefix_.end()) return "";
  std::set<std::string> others = found->second;
  others.erase(names.called.name);
  if (others.empty()) return "";
  return absl::StrCat("topic.prefix '", names.prefix, "' is that of connector ",
                      absl::StrJoin(others, ", "),
                      ", too: tables of one name go to the same topics, and the series "
                      "debezium_metrics_ of both have the same labels");
}

}  // namespace walduct::engine
