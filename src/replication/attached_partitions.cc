#include "replication/attached_partitions.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"

namespace walduct::replication {
namespace {

using postgres::ParseOid;
using postgres::Result;
using postgres::Rows;

constexpr int kVersionWithTidRanges = 140000;
constexpr int kFirstWithSchemas = 150000;
// Where so many running transactions are listed, the oldest one stands for all.
constexpr size_t kLongestSeen = 2000;

// $0: a transaction id, which lacks its upper half.
constexpr absl::string_view kWhole =
    "n.next - ((n.next - $0::pg_catalog.text::pg_catalog.int8) & 4294967295)";

// Which command of its transaction wrote a row of the catalog. A row that somebody deletes keeps
// that number no more, also where that is undone: the last one stands for what is not known.
// $0: the row.
constexpr absl::string_view kCommand =
    "CASE WHEN $0.xmax = '0'::pg_catalog.xid THEN $0.cmin::pg_catalog.text::pg_catalog.int8 "
    "ELSE 4294967295 END";

// A table that becomes a partition has all of its columns written anew. $0: the id of a link; $1:
// its command.
constexpr absl::string_view kLinks = R"(
WITH RECURSIVE now AS (
  SELECT pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot()) AS next),
link AS (
  SELECT i.inhrelid, i.inhparent, $0 AS by, $1 AS command,
    NOT pg_catalog.txid_visible_in_snapshot($0, $$2::pg_catalog.txid_snapshot)
      AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_attribute u JOIN pg_catalog.pg_attribute a
          ON a.attrelid = u.attrelid AND a.attnum = -1
        WHERE u.attrelid = i.inhrelid AND u.attnum > 0 AND u.xmin = a.xmin AND u.cmin = a.cmin)
      AS fresh
  FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c
    ON c.oid = i.inhrelid AND c.relispartition AND c.relkind IN ('r', 'p') CROSS JOIN now n),)";

constexpr absl::string_view kBelowRoots = R"(
below AS (
  SELECT c.oid AS as_table, c.oid AS relation, false AS fresh, 0::pg_catalog.int8 AS by,
    0::pg_catalog.int8 AS command
  FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
  JOIN pg_catalog.pg_class c ON c.oid = w.oid AND c.relkind = 'p'
  UNION ALL
  SELECT b.as_table, l.inhrelid, l.fresh, l.by, l.command
  FROM below b JOIN link l ON l.inhparent = b.relation
  WHERE NOT b.fresh)
SELECT b.as_table, b.relation, n.nspname, c.relname, b.by, b.command
FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.relation
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE b.fresh)";

constexpr absl::string_view kAboveLeaves = R"(
above AS (
  SELECT w.oid AS leaf, w.oid AS relation, false AS fresh, 0::pg_catalog.int8 AS by,
    0::pg_catalog.int8 AS command
  FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
  UNION ALL
  SELECT a.leaf, l.inhparent, l.fresh, l.by, l.command
  FROM above a JOIN link l ON l.inhrelid = a.relation
  WHERE NOT a.fresh)
SELECT a.leaf, a.leaf, n.nspname, c.relname, a.by, a.command
FROM above a JOIN pg_catalog.pg_class c ON c.oid = a.leaf
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE a.fresh)";

// A lock that somebody holds on one of them is not waited for.
constexpr absl::string_view kBegin = "BEGIN READ ONLY; SET LOCAL lock_timeout = '500ms'";

constexpr absl::string_view kLeaves = R"(
WITH RECURSIVE below(oid) AS (
  SELECT $1::pg_catalog.oid
  UNION ALL
  SELECT i.inhrelid FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid)
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname),
  pg_catalog.pg_relation_size(c.oid::pg_catalog.regclass),
  pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND
  pg_catalog.has_table_privilege(c.oid, 'SELECT') AND NOT pg_catalog.row_security_active(c.oid),
  c.relfilenode = c.oid
FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.oid AND c.relkind = 'r'
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace)";

// What is at the beginning of its files. Of rows that the same transaction wrote those are older
// that an earlier command wrote, and those that do not show that. Its savepoints have later ids: of
// a table that it has made the first of the later ids is taken for one of them where its commands
// lie between the one that made the table and the one that is asked about. $0: the table; $1, $3:
// the whole ids of a row's transaction and of the table's; $2: the row's command.
constexpr int64_t kBlocksLookedAt = 1024;
constexpr int64_t kBlockSize = 8192;
constexpr absl::string_view kHasOlderRow = R"(
WITH now AS (SELECT pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot()) AS next),
own AS (
  SELECT $1 AS by, t.xmax <> '0'::pg_catalog.xid OR $2 < $$2::pg_catalog.int8 AS early,
    t.cmin::pg_catalog.text::pg_catalog.int8 AS command, t.tableoid
  FROM ONLY $0 t CROSS JOIN now n WHERE t.ctid < '(1024,0)'::pg_catalog.tid),
later AS (
  SELECT pg_catalog.min(o.command) AS first, pg_catalog.max(o.command) AS last, o.tableoid
  FROM own o WHERE o.by > $$1::pg_catalog.int8 GROUP BY o.by, o.tableoid ORDER BY o.by LIMIT 1)
SELECT EXISTS (
  SELECT FROM own o WHERE o.by < $$1::pg_catalog.int8 OR (o.by = $$1::pg_catalog.int8 AND o.early)
) OR EXISTS (
  SELECT FROM later l JOIN pg_catalog.pg_attribute a ON a.attrelid = l.tableoid AND a.attnum = -1
    CROSS JOIN now n
  WHERE $3 = $$1::pg_catalog.int8 AND l.last < $$2::pg_catalog.int8
    AND l.first > a.cmin::pg_catalog.text::pg_catalog.int8))";

// $0: the id of what names tables in a publication; $1: its command. $2: of newer servers.
constexpr absl::string_view kNamed = R"(
WITH now AS (SELECT pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot()) AS next),
named AS (
  SELECT r.oid, $0 AS by, $1 AS command FROM pg_catalog.pg_publication_rel r CROSS JOIN now n
  WHERE r.prpubid = $$1::pg_catalog.oid$2)
SELECT m.oid, m.by, m.command FROM named m
WHERE NOT pg_catalog.txid_visible_in_snapshot(m.by, $$2::pg_catalog.txid_snapshot))";
constexpr absl::string_view kNamedBySchemas = R"(
  UNION ALL SELECT r.oid, $0, $1 FROM pg_catalog.pg_publication_namespace r CROSS JOIN now n
  WHERE r.pnpubid = $$1::pg_catalog.oid)";

// What gave tables the names, schemas or parents that they have, and their files. $0, $1, $2: ids
// of that; $3, $4, $5: its commands.
constexpr absl::string_view kPlaced = R"(
WITH now AS (SELECT pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot()) AS next),
placed AS (
  SELECT c.oid, GREATEST($0, $1) AS by, $2 AS files_by, $5 AS files_command,
    CASE WHEN i.inhrelid IS NULL OR $0 > $1 THEN $3 WHEN $1 > $0 THEN $4
      ELSE GREATEST($3, $4) END AS command
  FROM pg_catalog.unnest($$1::pg_catalog.oid[]) w(oid)
  JOIN pg_catalog.pg_class c ON c.oid = w.oid
  JOIN pg_catalog.pg_type t ON t.oid = c.reltype
  LEFT JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid AND c.relispartition CROSS JOIN now n)
SELECT p.oid,
  CASE WHEN NOT pg_catalog.txid_visible_in_snapshot(p.by, $$2::pg_catalog.txid_snapshot)
    THEN p.by END,
  CASE WHEN NOT pg_catalog.txid_visible_in_snapshot(p.files_by, $$2::pg_catalog.txid_snapshot)
    THEN p.files_by END,
  p.command, p.files_command
FROM placed p)";

constexpr absl::string_view kCondition =
    "SELECT pg_catalog.pg_get_partition_constraintdef($1::pg_catalog.oid)";

std::string WholeId(absl::string_view row) {
  return absl::Substitute(kWhole, absl::StrCat(row, ".xmin"));
}

std::string CommandOf(absl::string_view row) { return absl::Substitute(kCommand, row); }

// A command of a transaction, as text.
struct Moment {
  std::string by, command;
};

// Small tables alone can be looked through; of others it may be. Rows that were written anew with
// their files have the number of that command.
absl::StatusOr<bool> MayHaveHadRows(postgres::Connection& connection, Oid partition,
                                    const Moment& moment) {
  ASSIGN_OR_RETURN(const Result leaves,
                   connection.Query(Rows(4), kLeaves, {absl::StrCat(ToInteger(partition))}));
  for (int row = 0; row < leaves.rows(); ++row) {
    int64_t size = 0;
    if (absl::SimpleAtoi(leaves.Get(row, 1), &size) && size == 0) continue;
    const bool seen = leaves.Get(row, 2) == "t" && size <= kBlocksLookedAt * kBlockSize &&
                      connection.server_version() >= kVersionWithTidRanges;
    if (!seen) return true;
    ASSIGN_OR_RETURN(
        const Result older,
        connection.Query(
            postgres::OneRow(1),
            absl::Substitute(kHasOlderRow, leaves.Get(row, 0), WholeId("t"),
                             leaves.Get(row, 3) == "t" ? CommandOf("t") : "-1", WholeId("a")),
            {moment.by, moment.command}));
    if (older.Get(0, 0) == "t") return true;
  }
  return false;
}

absl::StatusOr<std::vector<Coverage::Attached>> LookInto(postgres::Connection& connection,
                                                         const Result& links) {
  std::vector<Coverage::Attached> all;
  for (int row = 0; row < links.rows(); ++row) {
    Coverage::Attached one{.table = ParseOid(links.Get(row, 0)),
                           .partition = ParseOid(links.Get(row, 1)),
                           .name = absl::StrCat(links.Get(row, 2), ".", links.Get(row, 3)),
                           .link = absl::StrCat(links.Get(row, 1), "/", links.Get(row, 4))};
    ASSIGN_OR_RETURN(const bool had_rows,
                     MayHaveHadRows(connection, one.partition,
                                    {.by = std::string(links.Get(row, 4)),
                                     .command = std::string(links.Get(row, 5))}));
    if (!had_rows) continue;
    if (one.table != one.partition) {
      ASSIGN_OR_RETURN(const Result condition,
                       connection.Query(Rows(1), kCondition, {std::string(links.Get(row, 1))}));
      if (condition.rows() > 0) one.condition = std::string(condition.Get(0, 0));
    }
    all.push_back(std::move(one));
  }
  return all;
}

// Transaction and command.
using Named = std::pair<int64_t, int64_t>;

// From the first of what names a table on its rows come.
absl::Status LookIntoNamed(postgres::Connection& connection,
                           const absl::flat_hash_map<Oid, Named>& fresh, Coverage* coverage) {
  for (auto& [relation, table] : coverage->tables) {
    Named first = {std::numeric_limits<int64_t>::max(), 0};
    for (const Oid name : table.named_by) {
      const auto found = fresh.find(name);
      first = std::min(first, found == fresh.end() ? Named() : found->second);
    }
    if (!table.sent || table.named_by.empty() || first.first == 0) continue;
    table.named_at = first.first;
    ASSIGN_OR_RETURN(const bool had_rows, MayHaveHadRows(connection, relation,
                                                         {.by = absl::StrCat(first.first),
                                                          .command = absl::StrCat(first.second)}));
    table.whole = !had_rows;
  }
  return absl::OkStatus();
}

absl::Status LookIntoPlaced(postgres::Connection& connection, const Result& placed,
                            Coverage* coverage) {
  for (int row = 0; row < placed.rows(); ++row) {
    Coverage::Table& table = coverage->tables[ParseOid(placed.Get(row, 0))];
    const auto had_rows = [&](int column) {
      return MayHaveHadRows(connection, ParseOid(placed.Get(row, 0)),
                            {.by = std::string(placed.Get(row, column)),
                             .command = std::string(placed.Get(row, column + 2))});
    };
    if (table.placed_later && absl::SimpleAtoi(placed.Get(row, 1), &table.placed_at)) {
      ASSIGN_OR_RETURN(const bool had_some, had_rows(1));
      table.placed_empty = !had_some;
    }
    if (table.rewritten && !placed.is_null(row, 2)) {
      ASSIGN_OR_RETURN(table.rewritten, had_rows(2));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string SeenText(absl::string_view snapshot, absl::string_view oldest) {
  return snapshot.size() <= kLongestSeen ? std::string(snapshot)
                                         : absl::StrCat(oldest, ":", oldest, ":");
}

absl::StatusOr<std::vector<Coverage::Attached>> ReadAttached(postgres::Connection& connection,
                                                             const AttachedQuery& query) {
  if (query.tables.empty()) return std::vector<Coverage::Attached>();
  const std::string sql = absl::StrCat(absl::Substitute(kLinks, WholeId("i"), CommandOf("i")),
                                       query.via_root ? kBelowRoots : kAboveLeaves);
  ASSIGN_OR_RETURN(const Result links,
                   connection.Query(Rows(6), sql, {postgres::OidArray(query.tables), query.since}));
  if (links.rows() == 0) return std::vector<Coverage::Attached>();
  RETURN_IF_ERROR(connection.Run(kBegin));
  auto all = LookInto(connection, links);
  const absl::Status ended = connection.Run(all.ok() ? "COMMIT" : "ROLLBACK");
  if (all.ok() && !ended.ok()) return ended;
  return all;
}

absl::Status LookForPlaced(postgres::Connection& connection, Coverage* coverage) {
  std::vector<Oid> later;
  for (const auto& [relation, table] : coverage->tables) {
    if (table.sent && (table.placed_later || table.rewritten)) later.push_back(relation);
  }
  if (later.empty()) return absl::OkStatus();
  const std::string sql = absl::Substitute(kPlaced, WholeId("t"), WholeId("i"), WholeId("c"),
                                           CommandOf("t"), CommandOf("i"), CommandOf("c"));
  ASSIGN_OR_RETURN(const Result placed,
                   connection.Query(Rows(5), sql, {postgres::OidArray(later), coverage->since}));
  RETURN_IF_ERROR(connection.Run(kBegin));
  const absl::Status looked = LookIntoPlaced(connection, placed, coverage);
  const absl::Status ended = connection.Run(looked.ok() ? "COMMIT" : "ROLLBACK");
  return looked.ok() ? ended : looked;
}

absl::Status LookForOlderRows(postgres::Connection& connection, Coverage* coverage) {
  if (coverage->publication == Oid{} || coverage->all_tables) return absl::OkStatus();
  const std::string id = WholeId("r"), command = CommandOf("r");
  const bool by_schemas = connection.server_version() >= kFirstWithSchemas;
  const std::string sql =
      absl::Substitute(kNamed, id, command,
                       by_schemas ? absl::Substitute(kNamedBySchemas, id, command) : std::string());
  ASSIGN_OR_RETURN(
      const Result named,
      connection.Query(Rows(3), sql,
                       {absl::StrCat(ToInteger(coverage->publication)), coverage->since}));
  absl::flat_hash_map<Oid, Named> fresh;
  for (int row = 0; row < named.rows(); ++row) {
    Named by;
    if (absl::SimpleAtoi(named.Get(row, 1), &by.first) &&
        absl::SimpleAtoi(named.Get(row, 2), &by.second))
      fresh.emplace(ParseOid(named.Get(row, 0)), by);
  }
  if (fresh.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(connection.Run(kBegin));
  const absl::Status looked = LookIntoNamed(connection, fresh, coverage);
  const absl::Status ended = connection.Run(looked.ok() ? "COMMIT" : "ROLLBACK");
  return looked.ok() ? ended : looked;
}

}  // namespace walduct::replication
