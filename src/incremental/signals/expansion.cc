#include "incremental/signals/expansion.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "java/regex/regex.h"

namespace walduct::incremental {
namespace {

void AddOnce(const TableId& table, std::vector<TableId>* tables) {
  if (std::find(tables->begin(), tables->end(), table) == tables->end()) tables->push_back(table);
}

}  // namespace

std::vector<TableId> ExpandCollections(const std::vector<std::string>& collections,
                                       const std::vector<TableId>& captured) {
  std::vector<TableId> tables;
  for (const std::string& collection : collections) {
    bool matched = false;
    const auto regex = java::Regex::Compile(collection, {});
    for (const TableId& table : captured) {
      if (!regex.ok() || !(*regex)->FullMatch(table.Text())) continue;
      matched = true;
      // A name that needs quotes does not stand for itself.
      if (ParseTableId(table.Text()) == table) {
        AddOnce(table, &tables);
      } else {
        log::Warn("signal: the table's name needs double quotes; it is left out",
                  {{"table", table.Text()}});
      }
    }
    if (matched) continue;
    if (const auto table = ParseTableId(collection)) {
      AddOnce(*table, &tables);
    } else {
      log::Warn("signal: this names no table; it is left out", {{"collection", collection}});
    }
  }
  return tables;
}

std::optional<std::string> ConditionOf(const std::map<std::string, std::string>& conditions,
                                       const TableId& table) {
  const auto found = conditions.find(absl::AsciiStrToLower(table.Text()));
  if (found == conditions.end()) return std::nullopt;
  return absl::StrCat("(", found->second, ")");
}

}  // namespace walduct::incremental
