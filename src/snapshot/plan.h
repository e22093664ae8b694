// What a snapshot reads: the tables in order, the statement for each and where its columns go.
// Rules of Debezium's RelationalSnapshotChangeEventSource:
//   which    captured tables that snapshot.include.collection.list matches, as schema.table or
//            "schema"."table"; never the signaling table
//   order    by the first entry of table.include.list that matches, then by "schema.table"
//   reads    SELECT "c1", "c2" FROM "s"."t", generated columns included, without ONLY: a
//            partitioned table gives all its rows, a parent its children's too. Columns that no
//            record has are not asked for. An override
//            (snapshot.select.statement.overrides) is used as it stands
//   columns  of an override go by name to the table's; others are ignored, missing ones are
//            kAbsent, of two the last wins
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/row.h"
#include "event/table_schema.h"
#include "event/wanted_columns.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "snapshot/read_record.h"

namespace walduct::names {
struct TableFilterOptions;
}  // namespace walduct::names

namespace walduct::snapshot {

struct SnapshotOptions;

constexpr uint16_t kIgnoredColumn = UINT16_MAX;

struct PlannedTable {
  postgres::TableName name;
  std::string select;  // no trailing semicolon
  event::TableSchemaPtr schema;
  size_t select_columns = 0;  // of `select`; 0: nothing to read, the table has no columns
  // of each column of `select` in schema, or kIgnoredColumn; empty: as they are
  std::vector<uint16_t> targets;
  bool overridden = false;
  // by the planner's statistics; absent: never analyzed, or an override
  std::optional<int64_t> estimated_rows;
  // Of a table that can be read by ranges of them; only when several sessions read.
  std::optional<uint32_t> blocks = std::nullopt;
  size_t parts_per_session = 1;
  // Of the table's files; only where a snapshot that is cut short goes on.
  std::string storage = {};
  // What an earlier attempt has read of it; empty: nothing.
  ReadTable before = {};
};

// connection: the one that will read, inside its transaction; catalog may use the same. Tables that
// have been dropped are left out. Errors: InvalidArgument, reason override_without_columns: an
// override gives none of its table's columns; those of the server, with the table named.
absl::StatusOr<std::vector<PlannedTable>> PlanSnapshot(
    postgres::Connection& connection, postgres::Catalog& catalog,
    const std::vector<postgres::TableName>& tables, const SnapshotOptions& options,
    const event::WantedColumns& wanted = nullptr);

// The tables of a snapshot among the captured ones, in order.
std::vector<postgres::TableName> SelectTables(std::vector<postgres::TableName> captured,
                                              const SnapshotOptions& options,
                                              const names::TableFilterOptions& filter);

// `SELECT "c1", "c2" FROM "s"."t"`. No columns: a NULL a row.
std::string SelectStatement(const event::TableSchema& schema, const std::vector<uint16_t>& columns);
// What a statement of snapshot.select.statement.overrides gives, without a row of it; the server's
// error with the property named.
absl::StatusOr<postgres::Result> TryOverride(postgres::Connection& connection,
                                             absl::string_view select, absl::string_view table);
// Without surrounding space and trailing semicolons, and safe to put in parentheses even if it ends
// in a comment.
std::string OverrideStatement(absl::string_view text);

// InvalidArgument override_without_columns: none of what the statement gives is a column of the
// table.
absl::Status CheckOverrideColumns(const event::TableSchema& schema, const postgres::Result& result);
// Targets for result columns of these names.
std::vector<uint16_t> TargetsByName(const event::TableSchema& schema,
                                    const std::vector<std::string>& names);
// Puts row's values where targets says, all other values become kAbsent. mapped has the size of the
// schema.
void MapRow(const std::vector<uint16_t>& targets, event::RowView row,
            std::vector<event::Value>* mapped);

}  // namespace walduct::snapshot
