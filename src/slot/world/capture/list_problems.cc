#include "slot/world/capture/list_problems.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "names/table_filter.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/capture/idle_entries.h"
#include "slot/world/capture/capture_lines.h"
#include "slot/world/known/known_tables.h"

namespace walduct::slot {

absl::StatusOr<std::vector<metrics::CaptureProblem>> FindListProblems(
    const names::TableFilterOptions& lists, const replication::CaptureWish& wish,
    const replication::LikelyTables& likely, postgres::Connection& connection) {
  if (!lists.table_include && !lists.schema_include) return std::vector<metrics::CaptureProblem>();
  names::TableFilterOptions all;
  all.ignore_builtin = false;
  ASSIGN_OR_RETURN(const std::vector<postgres::TableName> found,
                   postgres::Catalog(connection).CapturedTables(names::TableFilter(all)));
  std::vector<replication::SchemaTable> tables;
  for (const postgres::TableName& table : found) tables.push_back({table.schema, table.table});
  CaptureLines lines;
  lines.Saw(replication::FindIdleEntries(lists, tables, likely, wish.may_be_empty),
            {.now = absl::Time()});
  lines.SawTheSame();
  return lines.Problems(wish);
}

void RememberStoredNames(const KnownTables& known, const names::TableFilterOptions& lists,
                         replication::CaptureMemory* memory) {
  names::TableFilterOptions of_all_slots = lists;
  of_all_slots.share = nullptr;
  const names::TableFilter captured(std::move(of_all_slots));
  for (const auto& [name, table] : known.tables) {
    if (table.relation == Oid{}) continue;
    // postgres::TableKey, which of a name with a dot in it is not to be taken apart.
    const std::vector<std::string> parts = absl::StrSplit(name, '.');
    const bool is_plain = parts.size() == 2 && !absl::StrContains(name, '"');
    if (!is_plain) continue;
    const bool is_in = captured.Includes(parts[0], parts[1]);
    (is_in ? memory->before : memory->left).try_emplace(name, table.relation);
  }
  for (const auto& [name, relation] : known.left) memory->left.try_emplace(name, relation);
  // What was read before this process, or this configuration, began.
  if (memory->read_by == Oid{}) memory->read_by = known.publication;
}

}  // namespace walduct::slot
