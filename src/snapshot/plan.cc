#include "snapshot/plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "postgres/checks/read_rights.h"
#include "postgres/errors/sqlstate.h"
#include "postgres/sizes/row_estimate.h"
#include "postgres/sizes/table_layout.h"
#include "snapshot/dropped_table.h"
#include "snapshot/options.h"

namespace walduct::snapshot {
namespace {

using postgres::TableName;

std::string FullName(const TableName& table) {
  return absl::StrCat(table.schema, ".", table.table);
}

bool Listed(const java::RegexList& list, const TableName& table) {
  return list.Matches(FullName(table)) ||
         list.Matches(postgres::QuoteQualified(table.schema, table.table));
}

absl::Status RefusedOverride(const absl::Status& status, absl::string_view table) {
  const std::string hint = absl::StrCat("correct snapshot.select.statement.overrides.", table,
                                        "; qualify table names with their schema, as in ", table);
  return Error(status.code(), ErrorReason(status),
               absl::StrCat("snapshot.select.statement.overrides: ", status.message()), hint);
}

std::vector<uint16_t> TargetsOf(const event::TableSchema& schema, const postgres::Result& result) {
  std::vector<std::string> names;
  for (int i = 0; i < result.columns(); ++i) names.emplace_back(result.column_name(i));
  return TargetsByName(schema, names);
}

absl::Status UseOverride(postgres::Connection& connection, absl::string_view text,
                         PlannedTable* table) {
  table->select = OverrideStatement(text);
  table->overridden = true;
  ASSIGN_OR_RETURN(const postgres::Result result,
                   TryOverride(connection, table->select, FullName(table->name)));
  table->select_columns = static_cast<size_t>(result.columns());
  table->targets = TargetsOf(*table->schema, result);
  return CheckOverrideColumns(*table->schema, result);
}

absl::Status PlanTable(postgres::Connection& connection, postgres::Catalog& catalog,
                       const SnapshotOptions& options, const event::WantedColumns& wanted,
                       PlannedTable* table) {
  ASSIGN_OR_RETURN(table->schema, catalog.Describe(table->name.relation));
  if (table->schema->columns.empty()) return absl::OkStatus();
  const auto override_text = options.select_overrides.find(FullName(table->name));
  if (override_text != options.select_overrides.end())
    return UseOverride(connection, override_text->second, table);
  std::vector<uint16_t> columns = event::ColumnsOf(wanted, *table->schema);
  table->select = SelectStatement(*table->schema, columns);
  if (columns.empty()) columns.push_back(kIgnoredColumn);
  table->select_columns = columns.size();
  if (columns.size() < table->schema->columns.size() || columns.front() == kIgnoredColumn)
    table->targets = std::move(columns);
  return absl::OkStatus();
}

// What an override selects has no blocks of its own; who may not know where a row stands reads the
// table whole.
absl::Status LayOut(postgres::Connection& connection, const std::vector<Oid>& relations,
                    const SnapshotOptions& options, std::vector<PlannedTable>* plan) {
  ASSIGN_OR_RETURN(const auto layouts,
                   postgres::ReadLayouts(connection, relations, postgres::LayoutLock::kNone));
  ASSIGN_OR_RETURN(const auto places, postgres::FindReadablePlaces(connection, relations));
  for (PlannedTable& table : *plan) {
    const auto multiplier = options.multipliers.find(FullName(table.name));
    table.parts_per_session =
        multiplier == options.multipliers.end() ? options.multiplier : multiplier->second;
    const auto layout = layouts.find(table.name.relation);
    const bool readable = places.contains(table.name.relation);
    if (layout == layouts.end() || table.overridden || !readable) continue;
    if (layout->second.blocks > 0) table.blocks = layout->second.blocks;
    table.storage = layout->second.storage;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<PlannedTable>> PlanSnapshot(postgres::Connection& connection,
                                                       postgres::Catalog& catalog,
                                                       const std::vector<TableName>& tables,
                                                       const SnapshotOptions& options,
                                                       const event::WantedColumns& wanted) {
  std::vector<PlannedTable> plan;
  if (tables.empty()) return plan;
  std::vector<Oid> relations;
  for (const TableName& name : tables) relations.push_back(name.relation);
  ASSIGN_OR_RETURN(const auto estimates, postgres::EstimateRows(connection, relations));
  RETURN_IF_ERROR(SetSavepoint(connection));
  for (const TableName& name : tables) {
    PlannedTable table;
    table.name = name;
    absl::Status status = PlanTable(connection, catalog, options, wanted, &table);
    const bool dropped = !status.ok() && (status = GoOnWithout(connection, name, status)).ok();
    if (!status.ok())
      return WithContext(postgres::OfReading(status),
                         absl::StrCat("snapshot of table ", FullName(name)));
    if (dropped) continue;
    const auto estimate = estimates.find(name.relation);
    if (estimate != estimates.end() && !table.overridden)
      table.estimated_rows = static_cast<int64_t>(estimate->second);
    plan.push_back(std::move(table));
  }
  RETURN_IF_ERROR(ReleaseSavepoint(connection));
  if (options.reads_parts()) RETURN_IF_ERROR(LayOut(connection, relations, options, &plan));
  return plan;
}

std::vector<TableName> SelectTables(std::vector<TableName> captured, const SnapshotOptions& options,
                                    const names::TableFilterOptions& filter) {
  struct Ranked {
    size_t rank;
    std::string name;
    TableName table;
  };
  std::vector<Ranked> ranked;
  for (TableName& table : captured) {
    if (options.include_collections && !Listed(*options.include_collections, table)) continue;
    std::string name = FullName(table);
    if (name == filter.signal_table) continue;
    size_t rank = 0;
    if (filter.table_include) {
      rank = filter.table_include->FirstMatch(name).value_or(std::numeric_limits<size_t>::max());
    }
    ranked.push_back({rank, std::move(name), std::move(table)});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return std::tie(a.rank, a.name) < std::tie(b.rank, b.name);
  });
  std::vector<TableName> tables;
  for (Ranked& entry : ranked) tables.push_back(std::move(entry.table));
  return tables;
}

absl::StatusOr<postgres::Result> TryOverride(postgres::Connection& connection,
                                             absl::string_view select, absl::string_view table) {
  // Only the names are wanted: the statement is planned, but gives no row.
  auto result =
      connection.Query(postgres::Rows(0), absl::StrCat("SELECT * FROM (", select, ") q LIMIT 0"));
  if (!result.ok()) return RefusedOverride(result.status(), table);
  return result;
}

std::string SelectStatement(const event::TableSchema& schema,
                            const std::vector<uint16_t>& columns) {
  const std::string names = absl::StrJoin(columns, ", ", [&](std::string* out, uint16_t column) {
    out->append(postgres::QuoteIdentifier(schema.columns[column].name));
  });
  return absl::StrCat("SELECT ", columns.empty() ? "NULL" : names, " FROM ",
                      postgres::QuoteQualified(schema.schema, schema.table));
}

absl::Status CheckOverrideColumns(const event::TableSchema& schema,
                                  const postgres::Result& result) {
  const std::vector<uint16_t> targets = TargetsOf(schema, result);
  const bool useless = std::all_of(targets.begin(), targets.end(),
                                   [](uint16_t target) { return target == kIgnoredColumn; });
  if (!useless) return absl::OkStatus();
  return Error(
      absl::StatusCode::kInvalidArgument, "override_without_columns",
      "the statement of snapshot.select.statement.overrides returns none of the table's columns",
      "select the table's columns by their own names");
}

std::string OverrideStatement(absl::string_view text) {
  while (!text.empty() &&
         (text.back() == ';' || absl::ascii_isspace(static_cast<unsigned char>(text.back())))) {
    text.remove_suffix(1);
  }
  text = absl::StripLeadingAsciiWhitespace(text);
  const bool may_end_in_comment = text.find("--") != absl::string_view::npos;
  return absl::StrCat(text, may_end_in_comment ? "\n" : "");
}

std::vector<uint16_t> TargetsByName(const event::TableSchema& schema,
                                    const std::vector<std::string>& names) {
  std::vector<uint16_t> targets;
  for (const std::string& name : names) {
    const auto column =
        std::find_if(schema.columns.begin(), schema.columns.end(),
                     [&](const event::Column& candidate) { return candidate.name == name; });
    const auto index = static_cast<uint16_t>(column - schema.columns.begin());
    targets.push_back(column == schema.columns.end() ? kIgnoredColumn : index);
  }
  return targets;
}

void MapRow(const std::vector<uint16_t>& targets, event::RowView row,
            std::vector<event::Value>* mapped) {
  std::fill(mapped->begin(), mapped->end(), event::Value{nullptr, 0, event::ValueKind::kAbsent});
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] != kIgnoredColumn) (*mapped)[targets[i]] = row[i];
  }
}

}  // namespace walduct::snapshot
