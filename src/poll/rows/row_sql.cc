#include "poll/rows/row_sql.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "postgres/connection.h"

namespace walduct::poll {
namespace {

// The first that the table has tells what kind of event a row is; how large it is.
constexpr absl::string_view kTypes[] = {"eventtype", "messagetype", "type",
                                        "topic",     "channel",     "aggregatetype"};
constexpr absl::string_view kPayloads[] = {"payload", "data", "body", "event", "value", "content"};

std::string Of(const OutboxTable& table, absl::string_view text, absl::string_view alias = "o") {
  return Qualify(text, alias, table.columns);
}

std::string FirstOf(const OutboxTable& table, absl::Span<const absl::string_view> names) {
  for (const absl::string_view name : names)
    for (const LayoutColumn& column : table.columns)
      if (Folded(column.name) == name) return absl::StrCat("{", name, "}");
  return "";
}

const LayoutColumn* Find(const OutboxTable& table, absl::string_view braced) {
  for (const LayoutColumn& column : table.columns)
    if (braced == absl::StrCat("{", Folded(column.name), "}")) return &column;
  return nullptr;
}

std::string TextOf(const OutboxTable& table, const std::string& braced) {
  return braced.empty() ? "NULL::text" : absl::StrCat("(", Of(table, braced), ")::text");
}

// As ISO 8601; in UTC, where the column knows its zone.
std::string TimeOf(const OutboxTable& table, const std::string& braced) {
  const LayoutColumn* const column = Find(table, braced);
  if (column == nullptr) return "NULL::text";
  const bool zoned = column->type == "timestamp with time zone";
  return absl::StrCat("pg_catalog.to_char(", Of(table, braced), zoned ? " AT TIME ZONE 'UTC'" : "",
                      ", 'YYYY-MM-DD\"T\"HH24:MI:SS.MS", zoned ? "\"Z\"" : "", "')");
}

std::string Tried(const OutboxTable& table) {
  return table.layout.attempts.empty() ? "false"
                                       : absl::StrCat("(", Of(table, table.layout.open), " AND ",
                                                      Of(table, table.layout.attempts), " > 0)");
}

std::string Aside(const OutboxTable& table, absl::string_view alias = "o") {
  return table.layout.aside.empty()
             ? "false"
             : absl::StrCat("coalesce(", Of(table, table.layout.aside, alias), ", false)");
}

std::string StateOf(const OutboxTable& table) {
  const std::string parked =
      table.layout.parked.empty()
          ? "false"
          : absl::StrCat("coalesce(", Of(table, table.layout.parked), ", false)");
  return absl::StrCat("CASE WHEN ", Aside(table), " THEN '", kParked, "' WHEN (",
                      Of(table, table.layout.open), ") IS NOT TRUE THEN '", kIsDone, "' WHEN ",
                      parked, " THEN '", kParked, "' WHEN ", Tried(table), " THEN '", kWaits,
                      "' ELSE '", kIsOpen, "' END");
}

std::string SelectSql(const OutboxTable& table) {
  std::vector<std::string> columns;
  for (const std::string& name : table.key_names)
    columns.push_back(absl::StrCat("(o.", name, ")::text"));
  const Layout& layout = table.layout;
  columns.push_back(StateOf(table));
  columns.push_back(TextOf(table, layout.attempts));
  columns.push_back(TextOf(table, layout.error));
  columns.push_back(TimeOf(table, layout.due));
  columns.push_back(TimeOf(table, layout.born));
  columns.push_back(layout.shown_key.empty()
                        ? "NULL::text"
                        : absl::StrCat("(", Of(table, layout.shown_key), ")::text"));
  columns.push_back(TextOf(table, FirstOf(table, kTypes)));
  const std::string payload = FirstOf(table, kPayloads);
  columns.push_back(payload.empty() ? "NULL::text"
                                    : absl::StrCat("pg_catalog.octet_length((", Of(table, payload),
                                                   ")::text)::text"));
  return absl::StrCat("SELECT ", absl::StrJoin(columns, ", "), " FROM ", table.name, " o WHERE ");
}

std::string And(const std::string& where) {
  return where.empty() ? "" : absl::StrCat(" AND (", where, ")");
}

std::string ChangeSql(const OutboxTable& table, const std::vector<std::string>& set) {
  return absl::StrCat("WITH changed AS (UPDATE ", table.name, " o SET ", absl::StrJoin(set, ", "),
                      " WHERE ", table.KeysSql("o", 1),
                      " RETURNING 1) SELECT count(*) FROM changed");
}

// p behind o, of the same key.
std::string SameKeyBehind(const OutboxTable& table) {
  return absl::StrCat(Of(table, table.layout.key, "p"), " = ", Of(table, table.layout.key),
                      " AND (", table.OrderSql("p"), ") > (", table.OrderSql("o"), ")");
}

}  // namespace

int ColumnOf(const OutboxTable& table, RowColumn column) {
  return static_cast<int>(table.key_names.size()) + static_cast<int>(column);
}

std::vector<std::string> KeyColumns(const OutboxTable& table) {
  std::vector<std::string> names;
  for (const std::string& quoted : table.key_names)
    for (const LayoutColumn& column : table.columns)
      if (postgres::QuoteIdentifier(column.name) == quoted) names.push_back(column.name);
  return names;
}

std::string RowText(const OutboxTable& table, const std::vector<std::string>& key) {
  if (key.size() == 1) return key.front();
  const std::vector<std::string> names = KeyColumns(table);
  JsonWriter json;
  json.Object();
  for (size_t i = 0; i < key.size(); ++i) json.Key(names[i]).Text(key[i]);
  return json.EndObject().text();
}

bool KeepsFailed(const OutboxTable& table) {
  return !table.layout.attempts.empty() || !table.layout.aside.empty();
}

std::string FailedRowsSql(const OutboxTable& table, const std::string& where) {
  return absl::StrCat(SelectSql(table), "(", Tried(table), " OR ", Aside(table), ")", And(where),
                      " ORDER BY ", table.OrderSql("o"), " LIMIT $1::bigint");
}

std::string NamedRowsSql(const OutboxTable& table, const std::string& where, bool locks) {
  return absl::StrCat(SelectSql(table), table.KeysSql("o", 1), And(where), " ORDER BY ",
                      table.OrderSql("o"), locks ? " FOR NO KEY UPDATE OF o SKIP LOCKED" : "");
}

std::string RetrySql(const OutboxTable& table) {
  const Layout& layout = table.layout;
  std::vector<std::string> set;
  if (!layout.attempts.empty()) set.push_back(absl::StrCat(Of(table, layout.attempts, ""), " = 0"));
  if (const LayoutColumn* const due = Find(table, layout.due))
    set.push_back(absl::StrCat(Of(table, layout.due, ""), due->nullable ? " = NULL" : " = now()"));
  if (!layout.reopened.empty()) set.push_back(Of(table, layout.reopened, ""));
  return ChangeSql(table, set);
}

std::string ParkSql(const OutboxTable& table, int64_t max_attempts) {
  const Layout& layout = table.layout;
  std::vector<std::string> set;
  if (layout.attempts.empty())
    set.push_back(Of(table, layout.set_aside, ""));
  else
    set.push_back(absl::StrCat(Of(table, layout.attempts, ""), " = greatest(coalesce(",
                               Of(table, layout.attempts), ", 0), ", max_attempts, ")"));
  if (!layout.error.empty())
    set.push_back(absl::StrCat(Of(table, layout.error, ""), " = $", table.key_names.size() + 1,
                               "::text::", FullTypeOf(layout.error, table.columns)));
  return ChangeSql(table, set);
}

std::string OvertakenSql(const OutboxTable& table) {
  if (table.layout.key.empty() || table.layout.mark.empty()) return "";
  std::vector<std::string> columns;
  for (const std::string& name : table.key_names)
    columns.push_back(absl::StrCat("(o.", name, ")::text"));
  return absl::StrCat("SELECT ", absl::StrJoin(columns, ", "), " FROM ", table.name, " o WHERE ",
                      table.KeysSql("o", 1), " AND EXISTS (SELECT FROM ", table.name, " p WHERE ",
                      SameKeyBehind(table), " AND (", Of(table, table.layout.open, "p"),
                      ") IS NOT TRUE AND NOT ", Aside(table, "p"), ")");
}

std::string BehindRowsSql(const OutboxTable& table) {
  if (table.layout.key.empty()) return "";
  return absl::StrCat("SELECT count(*) FROM ", table.name, " o JOIN ", table.name, " p ON ",
                      SameKeyBehind(table), " AND ", Of(table, table.layout.open, "p"), " WHERE ",
                      table.KeysSql("o", 1));
}

}  // namespace walduct::poll
