#include "slot/world/capture/list_problems.h"

#include "base/status_macros.h"
#include "names/table_filter.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/capture/idle_entries.h"
#include "slot/world/capture/capture_lines.h"

namespace walduct::slot {

absl::StatusOr<std::vector<metrics::CaptureProblem>> FindListProblems(
    const names::TableFilterOptions& lists, const replication::CaptureWish& wish,
    postgres::Connection& connection) {
  if (!lists.table_include && !lists.schema_include) return std::vector<metrics::CaptureProblem>();
  names::TableFilterOptions all;
  all.ignore_builtin = false;
  ASSIGN_OR_RETURN(const std::vector<postgres::TableName> found,
                   postgres::Catalog(connection).CapturedTables(names::TableFilter(all)));
  std::vector<replication::SchemaTable> tables;
  for (const postgres::TableName& table : found) tables.push_back({table.schema, table.table});
  CaptureLines lines;
  lines.Saw(replication::FindIdleEntries(lists, tables, {}, wish.may_be_empty),
            {.now = absl::Time()});
  lines.SawTheSame();
  return lines.Problems(wish);
}

}  // namespace walduct::slot
