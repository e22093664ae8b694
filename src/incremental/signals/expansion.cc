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

bool Fits(const Condition& condition, const ExecuteSnapshot& execute, const TableId& table) {
  if (ParseTableId(condition.collection) == table) return true;
  if (condition.regex == nullptr) return false;
  if (condition.regex->FullMatch(table.Text())) return true;
  return std::any_of(execute.collections.begin(), execute.collections.end(),
                     [&](const std::string& spelt) {
                       return ParseTableId(spelt) == table && condition.regex->FullMatch(spelt);
                     });
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
    if (const auto table = ParseAnyTableId(collection)) {
      AddOnce(*table, &tables);
    } else {
      log::Warn("signal: this is not a table's name; it is left out", {{"collection", collection}});
    }
  }
  return tables;
}

std::string StatementOf(const ExecuteSnapshot& execute, const TableId& table) {
  const auto fits =
      std::find_if(execute.conditions.begin(), execute.conditions.end(),
                   [&](const Condition& condition) { return Fits(condition, execute, table); });
  return fits == execute.conditions.end() ? "" : fits->filter;
}

std::optional<std::string> ConditionOf(const ExecuteSnapshot& execute, const TableId& table) {
  const std::string filter = StatementOf(execute, table);
  return filter.empty() ? std::nullopt : std::optional(absl::StrCat("(", filter, ")"));
}

std::vector<std::string> UnusedConditions(const ExecuteSnapshot& execute,
                                          const std::vector<TableId>& tables) {
  std::vector<std::string> unused;
  for (const Condition& condition : execute.conditions) {
    const bool used = std::any_of(tables.begin(), tables.end(), [&](const TableId& table) {
      return Fits(condition, execute, table);
    });
    if (!used) unused.push_back(condition.collection);
  }
  return unused;
}

}  // namespace walduct::incremental
