#include "operate/commands/signal_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "incremental/options/incremental_options.h"
#include "incremental/signals/expansion.h"
#include "names/called.h"
#include "names/table_filter.h"
#include "postgres/checks/read_rights.h"
#include "postgres/describe/catalog.h"
#include "postgres/table_argument.h"
#include "replication/capture/capture_catalog.h"
#include "replication/capture/capture_words.h"
#include "route/message_keys.h"
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
                                  "exclude it) ",
                                  names::WithConfiguration(reader.called)));
}

// As a snapshot would ask it: parsed and planned by the server, and not run.
absl::Status CheckFilter(postgres::Connection& connection, const SignalReader& reader,
                         const incremental::ExecuteSnapshot& execute, const TableName& table) {
  const std::string filter = incremental::StatementOf(execute, {table.schema, table.table});
  // Through a pooler several statements would be run as one.
  if (filter.empty() || absl::StrContains(filter, ';')) return absl::OkStatus();
  const std::string name = postgres::QuoteQualified(table.schema, table.table);
  RETURN_IF_ERROR(connection.Run("SET lock_timeout = '1s'"));
  const std::string rows = execute.blocking ? absl::StrCat("(", filter, ") rows WHERE ")
                                            : absl::StrCat(name, " WHERE (", filter, ") AND ");
  const absl::Status planned = connection.Run(
      {.sql = absl::StrCat("SELECT FROM ", rows, "$1::pg_catalog.text IS NULL LIMIT 0"),
       .parameters = {"planned"},
       .answer = {}});
  // What is locked, or away, is for who reads it.
  if (!absl::IsFailedPrecondition(planned)) return absl::OkStatus();
  return Error(absl::StatusCode::kInvalidArgument, "signal_malformed",
               absl::StrCat("nothing is asked of connector ", reader.connector,
                            ": the server refuses the filter of ", name, ": ", planned.message()),
               execute.blocking ? "of a blocking snapshot it is the whole SELECT"
                                : "it is what stands behind WHERE: --filter 'TABLE=id > 100'");
}

// Of what is for none of its tables somebody expects fewer rows.
absl::Status CheckFilters(postgres::Connection& connection, const SignalReader& reader,
                          const incremental::ExecuteSnapshot& execute,
                          const std::vector<TableName>& asked) {
  std::vector<TableId> ids;
  for (const TableName& table : asked) ids.push_back({table.schema, table.table});
  if (const auto unused = incremental::UnusedConditions(execute, ids); !unused.empty()) {
    return Error(
        absl::StatusCode::kInvalidArgument, "signal_malformed",
        absl::StrCat("nothing is asked of connector ", reader.connector,
                     ": a filter is for none of the tables that are to be read: ", unused.front()),
        "it is a regular expression that must match the whole schema.table");
  }
  for (const TableName& table : asked)
    RETURN_IF_ERROR(CheckFilter(connection, reader, execute, table));
  return absl::OkStatus();
}

// The connector says it in its log alone.
absl::StatusOr<std::string> LeftOut(postgres::Connection& connection, const SignalReader& reader,
                                    const incremental::ExecuteSnapshot& execute,
                                    const std::vector<TableName>& asked) {
  if (execute.blocking || execute.surrogate_key || reader.incremental.reads_by_place ||
      reader.message_keys)
    return "";
  ASSIGN_OR_RETURN(const std::set<Oid> keyless,
                   replication::ReadKeyless(connection, postgres::RelationsOf(asked)));
  std::vector<std::string> tables;
  for (const TableName& table : asked) {
    const std::string name = postgres::TableArgument(table.schema, table.table);
    const bool named = std::find(tables.begin(), tables.end(), name) != tables.end();
    if (keyless.contains(table.relation) && !named && tables.size() < replication::kMostNamed)
      tables.push_back(name);
  }
  if (tables.empty()) return "";
  return absl::StrCat(
      "; without a key an incremental snapshot leaves out: ", absl::StrJoin(tables, ", "), " -> ",
      names::BlockingSnapshotCommand(reader.called, tables), ", for which the stream waits");
}

}  // namespace

absl::StatusOr<std::string> CheckSignalTables(postgres::Connection& connection,
                                              const SignalReader& reader,
                                              const incremental::Signal& signal) {
  const auto* execute = std::get_if<incremental::ExecuteSnapshot>(&signal);
  const auto* stop = std::get_if<incremental::StopSnapshot>(&signal);
  if (execute == nullptr && stop == nullptr) return "";
  const std::vector<std::string>& named =
      execute != nullptr ? execute->collections : stop->collections;
  if (named.empty()) return "";
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
  if (execute == nullptr) return "";
  RETURN_IF_ERROR(postgres::CheckReadRights(
      connection, asked, slot::RecordColumns(reader.columns, reader.message_keys)));
  RETURN_IF_ERROR(CheckFilters(connection, reader, *execute, asked));
  return LeftOut(connection, reader, *execute, asked);
}

}  // namespace walduct::operate
