#include "operate/commands/signal_check.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "incremental/signals/expansion.h"
#include "names/table_filter.h"
#include "postgres/checks/read_rights.h"
#include "postgres/describe/catalog.h"
#include "slot/world/reads/record_columns.h"

namespace walduct::operate {
namespace {

using incremental::TableId;
using postgres::TableName;

// Tables that there are, captured or not.
constexpr absl::string_view kExists = R"(
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (n.nspname = $1 OR $1 = '') AND c.relname = $2
LIMIT 1)";

absl::Status NotCaptured(postgres::Connection& connection, const SignalReader& reader,
                         const std::string& entry) {
  const std::optional<TableId> name = incremental::ParseAnyTableId(entry);
  std::string there;
  if (name) {
    ASSIGN_OR_RETURN(const postgres::Result found,
                     connection.Query(postgres::Rows(2), kExists, {name->schema, name->table}));
    if (found.rows() > 0) there = absl::StrCat(found.Get(0, 0), ".", found.Get(0, 1));
  }
  const std::string what = absl::StrCat("nothing is asked of connector ", reader.connector, ": ");
  if (there.empty()) {
    return Error(absl::StatusCode::kInvalidArgument, "table_not_captured",
                 absl::StrCat(what, "no captured table matches \"", entry,
                              "\", and there is no table of that name"),
                 "write schema.table, or a regular expression that matches the whole of it");
  }
  return Error(absl::StatusCode::kInvalidArgument, "table_not_captured",
               absl::StrCat(what, there,
                            name->schema.empty() ? " has to be named with its schema"
                                                 : " is there, and is not captured"),
               name->schema.empty()
                   ? absl::StrCat("write ", there)
                   : absl::StrCat("add ", there,
                                  " to table.include.list (or take it out of the lists that "
                                  "exclude it), and restart the connector"));
}

}  // namespace

absl::Status CheckSignalTables(postgres::Connection& connection, const SignalReader& reader,
                               const incremental::Signal& signal) {
  const auto* execute = std::get_if<incremental::ExecuteSnapshot>(&signal);
  const auto* stop = std::get_if<incremental::StopSnapshot>(&signal);
  if (execute == nullptr && stop == nullptr) return absl::OkStatus();
  const std::vector<std::string>& named =
      execute != nullptr ? execute->collections : stop->collections;
  if (named.empty()) return absl::OkStatus();
  names::TableFilterOptions tables = reader.tables;
  tables.share = nullptr;  // of whichever slot
  postgres::Catalog catalog(connection);
  ASSIGN_OR_RETURN(const std::vector<TableName> captured,
                   catalog.CapturedTables(names::TableFilter(std::move(tables))));
  std::vector<TableId> ids;
  for (const TableName& table : captured) ids.push_back({table.schema, table.table});
  std::vector<TableName> asked;
  for (const std::string& entry : named) {
    bool any = false;
    for (const TableId& id : incremental::ExpandCollections({entry}, ids)) {
      for (const TableName& table : captured) {
        if (table.schema != id.schema || table.table != id.table) continue;
        asked.push_back(table);
        any = true;
      }
    }
    if (!any) return NotCaptured(connection, reader, entry);
  }
  if (execute == nullptr) return absl::OkStatus();
  return postgres::CheckReadRights(connection, asked,
                                   slot::RecordColumns(reader.columns, reader.message_keys));
}

}  // namespace walduct::operate
