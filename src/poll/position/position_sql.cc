#include "poll/position/position_sql.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "postgres/connection.h"

namespace walduct::poll {
namespace {

std::string Of(const OutboxTable& table, absl::string_view text) {
  return Qualify(text, "o", table.columns);
}

std::string New(const std::string& number) {
  return absl::StrCat("NOT pg_catalog.pg_visible_in_snapshot(", number,
                      ", $1::pg_catalog.pg_snapshot) AND pg_catalog.pg_visible_in_snapshot(",
                      number, ", $2::pg_catalog.pg_snapshot)");
}

}  // namespace

std::string NowSql() {
  return "SELECT pg_catalog.pg_current_snapshot()::text, "
         "pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8), "
         "pg_catalog.pg_current_wal_flush_lsn()::text, system_identifier, "
         "pg_catalog.pg_current_wal_insert_lsn()::text FROM pg_catalog.pg_control_system()";
}

std::string FlushedSql(bool hastens) {
  return absl::StrCat("SELECT pg_catalog.pg_current_wal_flush_lsn()::text, ",
                      hastens ? "pg_catalog.pg_current_xact_id()::text" : "NULL");
}

std::string BoundsSql(const OutboxTable& table) {
  const std::string number = Of(table, table.layout.xact), id = Of(table, table.layout.order);
  // The count keeps min and max from walking the primary key's index for the first such row.
  return absl::StrCat("SELECT count(*), min(", id, "), max(", id, ") FROM ", table.name,
                      " o WHERE ", number,
                      " >= pg_catalog.pg_snapshot_xmin($1::pg_catalog.pg_snapshot) AND ", number,
                      " < pg_catalog.pg_snapshot_xmax($2::pg_catalog.pg_snapshot) AND ",
                      New(number), " AND ", id, " > $3::bigint");
}

std::string WindowSql(const OutboxTable& table, const std::string& where) {
  const std::string number = Of(table, table.layout.xact), id = Of(table, table.layout.order);
  std::string columns;
  for (const event::Column& column : table.schema->columns)
    absl::StrAppend(&columns, "o.", postgres::QuoteIdentifier(column.name), ", ");
  return absl::StrCat("SELECT ", columns, "NULL, true FROM ", table.name, " o WHERE ", id,
                      " > $3::bigint AND ", id, " <= $4::bigint AND ", New(number),
                      where.empty() ? "" : absl::StrCat(" AND (", where, ")"), " ORDER BY ", id,
                      " FETCH FIRST ($5::bigint) ROWS WITH TIES");
}

std::string RestCondition(const OutboxTable& table, const TablePosition& position) {
  const std::string number = Qualify(table.layout.xact, "", table.columns);
  const auto visible = [&](absl::string_view snapshot) {
    return absl::StrCat("pg_visible_in_snapshot(", number, ", '", snapshot, "')");
  };
  const std::string rest = absl::StrCat("NOT ", visible(position.seen));
  if (position.window.empty()) return rest;
  return absl::StrCat(rest, " AND NOT (", visible(position.window), " AND ",
                      Qualify(table.layout.order, "", table.columns), " <= ", position.last, ")");
}

std::string BehindSql(const OutboxTable& table, const std::string& where) {
  const std::string number = Of(table, table.layout.xact), id = Of(table, table.layout.order);
  const std::string age =
      table.layout.born.empty()
          ? "0"
          : absl::StrCat("extract(epoch FROM now() - min(", Of(table, table.layout.born), "))");
  return absl::StrCat(
      "SELECT count(*), 0, greatest(0, ", age, ")::bigint FROM ", table.name, " o WHERE ", number,
      " >= pg_catalog.pg_snapshot_xmin($1::pg_catalog.pg_snapshot) AND NOT "
      "pg_catalog.pg_visible_in_snapshot(",
      number, ", $1::pg_catalog.pg_snapshot) AND NOT (", id,
      " <= $3::bigint AND pg_catalog.pg_visible_in_snapshot(", number,
      ", $2::pg_catalog.pg_snapshot))", where.empty() ? "" : absl::StrCat(" AND (", where, ")"));
}

}  // namespace walduct::poll
