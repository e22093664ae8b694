#include "poll/layouts/outbox_table.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "outbox/options.h"
#include "poll/layouts/notify_trigger.h"
#include "poll/layouts/partitioned.h"
#include "poll/layouts/table_warnings.h"
#include "postgres/describe/catalog.h"
#include "postgres/describe/key_risk.h"
#include "postgres/oid_text.h"

namespace walduct::poll {
namespace {

using postgres::Connection;
using postgres::QuoteIdentifier;

// More than a writer leaves that has just begun.
constexpr int kManyOpen = 1000;

// Not those that are partitions: their rows are their root's. What a primary key merely includes is
// no part of it, and may be NULL. So may rows from before a constraint that is not valid be
// (PostgreSQL 18), which matters where the column says when a row was written.
constexpr absl::string_view kRelation = R"(
SELECT c.relispartition, c.relpersistence, a.attname, format_type(a.atttypid, NULL),
       a.attnotnull AND NOT (format_type(a.atttypid, NULL) = 'xid8' AND EXISTS (
         SELECT FROM pg_constraint x WHERE x.conrelid = c.oid AND x.contype = 'n'
           AND NOT x.convalidated AND x.conkey = ARRAY[a.attnum])),
       coalesce(a.attnum = ANY ((i.indkey::int2[])[0:i.{parts} - 1]), false),
       CASE WHEN pg_get_serial_sequence(c.oid::regclass::text, a.attname) IS NOT NULL THEN
         (SELECT s.seqcache FROM pg_sequence s
          WHERE s.seqrelid = pg_get_serial_sequence(c.oid::regclass::text, a.attname)::regclass) END,
       coalesce(pg_get_expr(d.adbin, d.adrelid), ''), format_type(a.atttypid, a.atttypmod),
       pg_get_serial_sequence(c.oid::regclass::text, a.attname), a.attidentity,
       EXISTS (SELECT FROM pg_subscription_rel s WHERE s.srrelid = c.oid)
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.oid = $1::oid ORDER BY a.attnum)";

// Of functions that name it in their text.
constexpr absl::string_view kChannels = R"(
SELECT DISTINCT (regexp_match(p.prosrc, 'pg_notify\s*\(\s*''([^'']+)'''))[1]
FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE t.tgrelid = $1::oid AND NOT t.tgisinternal AND t.tgenabled <> 'D'
  AND p.prosrc ~ 'pg_notify\s*\(\s*''[^'']+''')";

constexpr absl::string_view kOfArchive = R"(
SELECT to_regclass($2) IS NOT NULL,
       (SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_attribute a
        WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
          AND NOT EXISTS (SELECT FROM pg_attribute b WHERE b.attrelid = to_regclass($2)
                          AND b.attname = a.attname AND NOT b.attisdropped)),
       has_table_privilege(to_regclass($2)::oid, 'INSERT'), quote_ident(current_user))";

constexpr absl::string_view kGenerated = R"(
SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND attgenerated <> '')";

constexpr absl::string_view kOfPosition = R"(
SELECT EXISTS (SELECT FROM pg_index i
               JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
               WHERE i.indrelid = $1::oid AND i.indisvalid AND i.indpred IS NULL
                 AND quote_ident(a.attname) = quote_ident(btrim($2, '"'))),
       EXISTS (SELECT FROM pg_subscription_rel s WHERE s.srrelid = $1::oid))";

// Its values are read of an array's text as they are of a text.
bool IsPlain(absl::string_view type) {
  return type == "bigint" || type == "integer" || type == "smallint" || type == "uuid";
}

// Whether it is large, and an index may tell which of its rows are open: one of few rows, or one
// with a column that says it.
constexpr absl::string_view kOpenIndex = R"(
SELECT greatest(pg_relation_size($1::oid),
                (SELECT sum(pg_relation_size(t.relid)) FROM pg_partition_tree($1::oid) t))
         < $2::bigint
       OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = $1::oid AND i.indisvalid
                  AND (i.indpred IS NOT NULL OR i.indexprs IS NOT NULL OR EXISTS (
                    SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid
                      AND a.attnum = ANY (i.indkey::int2[])
                      AND strpos($3, '"' || a.attname || '"') > 0))))";
constexpr int64_t kSmallTable = 8 << 20;

absl::Status Refusal(absl::string_view reason, absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kFailedPrecondition, reason, what, hint);
}

// Nobody has said what other words mean.
absl::Status CheckWords(Connection& connection, const OutboxTable& table,
                        const std::string& called) {
  if (table.layout.words.empty()) return absl::OkStatus();
  const std::string column = QuoteIdentifier(table.layout.word_column);
  const std::string known =
      absl::StrJoin(table.layout.words, ", ", [](std::string* out, const std::string& word) {
        absl::StrAppend(out, postgres::QuoteLiteral(word));
      });
  ASSIGN_OR_RETURN(const auto other,
                   connection.Query(postgres::Rows(1),
                                    absl::StrCat("SELECT ", column, " FROM ", table.name, " WHERE ",
                                                 column, " NOT IN (", known, ") LIMIT 1")));
  if (other.rows() == 0) return absl::OkStatus();
  return Refusal("outbox_unknown_layout",
                 absl::StrCat("outbox table ", called, " has rows whose ", table.layout.word_column,
                              " is none of ", absl::StrJoin(table.layout.words, ", ")),
                 "use walduct.outbox.source=slot");
}

// Of a library that need not mark what it has sent: all of it would be sent once more.
absl::Status CheckHistory(Connection& connection, const OutboxTable& table,
                          const std::string& called) {
  if (table.layout.never_marks.empty()) return absl::OkStatus();
  const std::string open = Qualify(table.layout.open, "o", table.columns);
  ASSIGN_OR_RETURN(
      const auto found,
      connection.Query(postgres::OneRow(1),
                       absl::StrCat("SELECT EXISTS (SELECT FROM ", table.name, " o WHERE ", open,
                                    " OFFSET ", kManyOpen, ") AND NOT EXISTS (SELECT FROM ",
                                    table.name, " o WHERE NOT (", open, "))")));
  if (found.Get(0, 0) != "t") return absl::OkStatus();
  return Refusal("outbox_needs_where",
                 absl::StrCat("outbox table ", called, " is that of ", table.layout.called,
                              " and has more than ", kManyOpen,
                              " rows, of which none is marked: ", table.layout.never_marks),
                 "set walduct.outbox.where to SQL that says which of them are to be published, "
                 "such as creation_time > 1790000000000; true: all of them");
}

// The claim asks for the locks of rows, for which a right to update any column is enough.
absl::Status CheckRights(Connection& connection, const OutboxTable& table,
                         const std::string& called) {
  const std::string relation = absl::StrCat(ToInteger(table.relation), "::pg_catalog.oid");
  std::string rights =
      absl::StrCat("pg_catalog.has_any_column_privilege(", relation, ", 'UPDATE')");
  if (table.layout.mark.empty())
    absl::StrAppend(&rights, " AND pg_catalog.has_table_privilege(", relation, ", 'DELETE')");
  const std::string changed = absl::StrCat(table.layout.mark, ",", table.layout.attempts, " =,",
                                           table.layout.error, " =,", table.layout.due, " =");
  for (const LayoutColumn& column : table.columns)
    if (absl::StrContains(changed, absl::StrCat("{", Folded(column.name), "} =")))
      absl::StrAppend(&rights, " AND pg_catalog.has_column_privilege(", relation, ", ",
                      postgres::QuoteLiteral(column.name), ", 'UPDATE')");
  ASSIGN_OR_RETURN(
      const auto has,
      connection.Query(postgres::OneRow(2), absl::StrCat("SELECT ", rights, ", current_user")));
  if (has.Get(0, 0) == "t") return absl::OkStatus();
  const absl::string_view needs = table.layout.mark.empty() ? "UPDATE, DELETE" : "UPDATE";
  return Refusal(
      "permission_denied",
      absl::StrCat("role ", has.Get(0, 1), " may not say in outbox table ", called,
                   " which rows are published: it lacks ", needs),
      absl::StrCat("GRANT ", needs, " ON ", table.name, " TO ", QuoteIdentifier(has.Get(0, 1))));
}

void Note(const absl::Status& warning, OutboxTable* table) {
  if (!warning.ok()) table->warnings.push_back(warning);
}

// Of rows that are removed once they are done, those that are there are open.
absl::Status LookForIndex(Connection& connection, const std::string& called, OutboxTable* table) {
  if (table->layout.mark.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      const auto found,
      connection.Query(postgres::OneRow(1), std::string(kOpenIndex),
                       {absl::StrCat(ToInteger(table->relation)), absl::StrCat(kSmallTable),
                        Qualify(table->layout.open, "", table->columns)}));
  if (found.Get(0, 0) == "f") Note(OpenIndexWarning(called, *table), table);
  return absl::OkStatus();
}

// A position is a snapshot and an id; both have to be this server's.
absl::Status CheckPosition(Connection& connection, const std::string& called, OutboxTable* table) {
  const bool integer = absl::StrContains(table->key_types.front(), "int");
  if (!integer || (table->key_names.size() > 1 && !table->numbered))
    return Refusal("outbox_no_key",
                   absl::StrCat("outbox table ", called,
                                " has no integer as its primary key, by which the rows of a window "
                                "are read with walduct.outbox.done=position"),
                   "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY");
  for (const LayoutColumn& column : table->columns)
    if (QuoteIdentifier(column.name) == table->key_names.front())
      table->layout.order = absl::StrCat("{", Folded(column.name), "}");
  const std::string number = Qualify(table->layout.xact, "", table->columns);
  ASSIGN_OR_RETURN(const auto facts,
                   connection.Query(postgres::OneRow(2), std::string(kOfPosition),
                                    {absl::StrCat(ToInteger(table->relation)), number}));
  if (facts.Get(0, 1) == "t")
    return Refusal("outbox_of_subscription",
                   absl::StrCat("outbox table ", called,
                                " is filled by a subscription: its rows have the numbers of the "
                                "publisher's transactions"),
                   "publish it where it is written");
  if (facts.Get(0, 0) != "t") Note(IndexWarning(called, *table, number), table);
  return absl::OkStatus();
}

// Of another table that was found: a pattern may match both.
bool IsArchive(const postgres::TableName& one, const std::vector<postgres::TableName>& all,
               absl::string_view suffix) {
  return absl::c_any_of(all, [&](const postgres::TableName& other) {
    return other.schema == one.schema && absl::StrCat(other.table, suffix) == one.table;
  });
}

absl::Status FindArchive(Connection& connection, const postgres::TableName& one,
                         absl::string_view suffix, const std::string& called, OutboxTable* table) {
  table->archive = postgres::QuoteQualified(one.schema, absl::StrCat(one.table, suffix));
  ASSIGN_OR_RETURN(const auto facts,
                   connection.Query(postgres::OneRow(4), std::string(kOfArchive),
                                    {absl::StrCat(ToInteger(table->relation)), table->archive}));
  const auto lacks = [&](absl::string_view what, const std::string& fix) {
    return Refusal(
        "outbox_no_archive",
        absl::StrCat("the archive ", table->archive, " of outbox table ", called, " ", what), fix);
  };
  if (facts.Get(0, 0) != "t")
    return lacks("is not there",
                 absl::StrCat("CREATE TABLE ", table->archive, " (LIKE ", table->name,
                              "); GRANT INSERT ON ", table->archive, " TO ", facts.Get(0, 3)));
  if (!facts.is_null(0, 1))
    return lacks(absl::StrCat("lacks columns of it: ", facts.Get(0, 1)),
                 absl::StrCat("ALTER TABLE ", table->archive, " ADD COLUMN …"));
  ASSIGN_OR_RETURN(const auto made,
                   connection.Query(postgres::Rows(1), std::string(kGenerated), {table->archive}));
  for (int row = 0; row < made.rows(); ++row) table->archive_makes.emplace_back(made.Get(row, 0));
  if (facts.Get(0, 2) == "t") return absl::OkStatus();
  return Refusal(
      "permission_denied",
      absl::StrCat("role ", facts.Get(0, 3), " may not write to the archive ", table->archive),
      absl::StrCat("GRANT INSERT ON ", table->archive, " TO ", facts.Get(0, 3)));
}

absl::Status ReadChannels(Connection& connection, OutboxTable* table) {
  ASSIGN_OR_RETURN(const auto rows, connection.Query(postgres::Rows(1), std::string(kChannels),
                                                     {absl::StrCat(ToInteger(table->relation))}));
  for (int row = 0; row < rows.rows(); ++row) table->channels.emplace_back(rows.Get(row, 0));
  return absl::OkStatus();
}

absl::Status ReadColumns(const postgres::Result& rows, const std::string& called, bool keeps_order,
                         OutboxTable* table) {
  if (rows.Get(0, 1) == "u")
    return Refusal("outbox_unlogged",
                   absl::StrCat("outbox table ", called,
                                " is not logged: its rows are gone after a crash of the server"),
                   absl::StrCat("ALTER TABLE ", called, " SET LOGGED"));
  for (int row = 0; row < rows.rows(); ++row) {
    table->columns.push_back({.name = std::string(rows.Get(row, 2)),
                              .type = std::string(rows.Get(row, 3)),
                              .nullable = rows.Get(row, 4) != "t",
                              .fallback = std::string(rows.Get(row, 7)),
                              .full_type = std::string(rows.Get(row, 8))});
    if (rows.Get(row, 5) != "t") continue;
    table->key_names.push_back(QuoteIdentifier(rows.Get(row, 2)));
    // With its length: character alone is character(1).
    table->key_types.emplace_back(rows.Get(row, 8));
    if (table->key_names.size() == 1) {
      table->numbered = !rows.is_null(row, 6);
      table->rises = rows.Get(row, 6) == "1" && rows.Get(row, 11) != "t";
      table->numbers_itself = rows.Get(row, 10) == "a";
    }
    for (size_t i = 0; i < table->schema->columns.size(); ++i)
      if (table->schema->columns[i].name == rows.Get(row, 2))
        table->key_at.push_back(static_cast<int>(i));
    if (keeps_order)
      Note(CacheWarning(called, rows.Get(row, 2), rows.Get(row, 9), rows.Get(row, 6)), table);
  }
  if (table->key_at.size() == table->key_names.size() && !table->key_at.empty())
    return absl::OkStatus();
  return Refusal("outbox_no_key",
                 absl::StrCat("outbox table ", called,
                              " has no primary key: a row that was published cannot be marked"),
                 absl::StrCat("ALTER TABLE ", called, " ADD PRIMARY KEY (…)"));
}

std::string Columns(const std::string& alias, const std::vector<std::string>& names) {
  return absl::StrJoin(names, ", ", [&](std::string* out, const std::string& name) {
    absl::StrAppend(out, alias, name);
  });
}

}  // namespace

std::string OutboxTable::ShareCondition(int64_t workers, int64_t worker) const {
  const std::string id = absl::StrCat("(o.", key_names.front(), ")::text");
  const std::string key =
      layout.key.empty()
          ? id
          : absl::StrCat("coalesce((", Qualify(layout.key, "o", columns), ")::text, ", id, ")");
  return absl::StrCat("(pg_catalog.hashtext(", key, ") & 2147483647) % ", workers, " = ", worker);
}

std::string OutboxTable::OrderSql(absl::string_view alias) const {
  const std::string first = Qualify(layout.order, alias, columns);
  return absl::StrCat(first, first.empty() ? "" : ", ",
                      Columns(absl::StrCat(alias, "."), key_names));
}

std::string OutboxTable::KeysSql(absl::string_view alias, size_t first) const {
  if (key_names.size() > 1) return HashedKeysSql(alias, first);
  return absl::StrCat(alias, ".", key_names[0], " = ANY ($", first, "::text[]::", key_types[0],
                      "[])");
}

std::string OutboxTable::HashedKeysSql(absl::string_view alias, size_t first) const {
  std::vector<std::string> casts, arrays, aliases;
  const std::string dot = absl::StrCat(alias, ".");
  for (size_t i = 0; i < key_names.size(); ++i) {
    casts.push_back(absl::StrCat("k", i, "::", key_types[i]));
    arrays.push_back(absl::StrCat("$", i + first, "::text[]"));
    aliases.push_back(absl::StrCat("k", i));
  }
  return absl::StrCat("(", Columns(dot, key_names), ") IN (SELECT ", absl::StrJoin(casts, ", "),
                      " FROM unnest(", absl::StrJoin(arrays, ", "), ") AS x(",
                      absl::StrJoin(aliases, ", "), "))");
}

// Behind a subselect the planner does not estimate the values: it takes the index all the same.
std::string OutboxTable::ChosenSql(Chosen chosen) const {
  std::string rows = KeysSql("o", 1);
  const std::string id = absl::StrCat("o.", key_names[0]);
  if (chosen == Chosen::kRange) {
    rows = absl::StrCat(id, " >= (SELECT $1::bigint) AND ", id, " <= (SELECT $2::bigint) AND ", id,
                        " <> ALL ($3::bigint[])");
  } else if (key_names.size() == 1) {
    const std::string array = absl::StrCat(key_types[0], "[]");
    rows = absl::StrCat(id, " = ANY ((SELECT $1::", IsPlain(key_types[0]) ? "" : "text[]::", array,
                        ")::", array, ")");
  }
  return absl::StrCat(rows, " AND ", Qualify(layout.open, "o", columns));
}

std::string OutboxTable::MovedSql(const std::string& chosen) const {
  std::vector<std::string> names, values;
  for (const LayoutColumn& column : columns) {
    if (absl::c_linear_search(archive_makes, column.name)) continue;
    names.push_back(QuoteIdentifier(column.name));
    values.push_back(absl::StrCat("g.", names.back()));
    for (const absl::string_view part : absl::StrSplit(layout.archived, ", {", absl::SkipEmpty())) {
      const std::pair<absl::string_view, absl::string_view> set =
          absl::StrSplit(part, absl::MaxSplits("} = ", 1));
      if (absl::StripPrefix(set.first, "{") == Folded(column.name))
        values.back() = Qualify(set.second, "g", columns);
    }
  }
  return absl::StrCat("WITH gone AS (DELETE FROM ", name, " o WHERE ", chosen,
                      " RETURNING o.*), kept AS (INSERT INTO ", archive, " (",
                      absl::StrJoin(names, ", "), ") OVERRIDING SYSTEM VALUE SELECT ",
                      absl::StrJoin(values, ", "),
                      " FROM gone g RETURNING 1) SELECT count(*) FROM kept");
}

// The server counts the rows anyway: to count what is returned takes as long as to delete a row.
postgres::Statement OutboxTable::Done(Chosen chosen) const {
  const std::string rows = ChosenSql(chosen);
  if (archive.empty()) return {ChangeSql(rows), {}, std::nullopt};
  return {MovedSql(rows), {}, postgres::OneRow(1)};
}

std::string OutboxTable::DoneAlsoAsideSql() const {
  const std::string rows = KeysSql("o", 1);
  if (!archive.empty()) return MovedSql(rows);
  return absl::StrCat("WITH done AS (", ChangeSql(rows), " RETURNING 1) SELECT count(*) FROM done");
}

std::string OutboxTable::ChangeSql(const std::string& chosen) const {
  const std::string change = layout.mark.empty() ? absl::StrCat("DELETE FROM ", name, " o")
                                                 : absl::StrCat("UPDATE ", name, " o SET ",
                                                                Qualify(layout.mark, "", columns));
  return absl::StrCat(change, " WHERE ", chosen);
}

uint64_t ChangedBy(const postgres::Result& answer) {
  return answer.rows() == 0 ? answer.changed() : NumberAt(answer, 0);
}

uint64_t NumberAt(const postgres::Result& rows, int column) {
  uint64_t number = 0;
  static_cast<void>(absl::SimpleAtoi(rows.Get(0, column), &number));
  return number;
}

int OutboxTable::ColumnAt(const std::string& braced) const {
  for (size_t i = 0; !braced.empty() && i < schema->columns.size(); ++i)
    if (braced == absl::StrCat("{", Folded(schema->columns[i].name), "}"))
      return static_cast<int>(i);
  return -1;
}

std::string OutboxTable::StillOpenSql(Chosen chosen) const {
  return absl::StrCat("SELECT count(*) FROM ", name, " o WHERE ", ChosenSql(chosen));
}

absl::StatusOr<std::vector<OutboxTable>> FindOutboxTables(Connection& connection,
                                                          const names::TableFilterOptions& captured,
                                                          const outbox::OutboxOptions& options) {
  postgres::Catalog catalog(connection);
  ASSIGN_OR_RETURN(const auto found, catalog.CapturedTables(names::TableFilter(captured)));
  names::TableFilterOptions listed;
  listed.table_include = options.tables;
  const names::TableFilter outbox_tables(std::move(listed));
  const std::string relation_sql = absl::StrReplaceAll(
      kRelation, {{"{parts}", postgres::KeyColumnCount(connection.server_version())}});
  std::vector<OutboxTable> tables;
  for (const postgres::TableName& one : found) {
    if (options.tables != nullptr && !outbox_tables.Includes(one.schema, one.table)) continue;
    if (options.archives && IsArchive(one, found, options.archive_suffix)) continue;
    const std::string called = absl::StrCat(one.schema, ".", one.table);
    OutboxTable table{.relation = one.relation,
                      .name = postgres::QuoteQualified(one.schema, one.table)};
    ASSIGN_OR_RETURN(const auto rows, connection.Query(postgres::Rows(12), relation_sql,
                                                       {absl::StrCat(ToInteger(one.relation))}));
    if (rows.rows() == 0 || rows.Get(0, 0) == "t") continue;
    ASSIGN_OR_RETURN(table.schema, catalog.Describe(one.relation));
    RETURN_IF_ERROR(ReadColumns(rows, called, options.keeps_order, &table));
    ASSIGN_OR_RETURN(table.layout,
                     RecogniseLayout({.table = called,
                                      .columns = table.columns,
                                      .deletes = options.deletes_done || options.archives,
                                      .positions = options.positions,
                                      .narrowed = !options.where.empty(),
                                      .lease = options.lease,
                                      .max_attempts = options.max_attempts,
                                      .parked_holds = options.parked_holds,
                                      .keeps_order = options.keeps_order}));
    if (options.archives)
      RETURN_IF_ERROR(FindArchive(connection, one, options.archive_suffix, called, &table));
    if (options.positions) {
      RETURN_IF_ERROR(CheckPosition(connection, called, &table));
    } else {
      RETURN_IF_ERROR(CheckRights(connection, table, called));
      RETURN_IF_ERROR(LookForIndex(connection, called, &table));
    }
    if (options.cleanup == outbox::OutboxCleanup::kDropPartitions)
      RETURN_IF_ERROR(CheckPartitioned(connection, called, table));
    RETURN_IF_ERROR(CheckWords(connection, table, called));
    RETURN_IF_ERROR(CheckHistory(connection, table, called));
    table.born_at = table.ColumnAt(table.layout.born);
    Note(OrderWarning(called, table), &table);
    RETURN_IF_ERROR(ReadChannels(connection, &table));
    RETURN_IF_ERROR(WarnOfNotifyTrigger(connection, called, table, &table.warnings));
    tables.push_back(std::move(table));
  }
  if (!tables.empty()) return tables;
  return Refusal("outbox_no_tables",
                 "no table matches walduct.outbox.tables and table.include.list",
                 "name existing outbox tables as schema.table");
}

}  // namespace walduct::poll
