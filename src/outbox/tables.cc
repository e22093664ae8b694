#include "outbox/tables.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "outbox/options.h"
#include "postgres/describe/catalog.h"
#include "postgres/oid_text.h"

namespace walduct::outbox {
namespace {

using postgres::Connection;
using postgres::QuoteQualified;
using postgres::Result;

// $1 OIDs, $2 publication, $3 retention in ms, $4 time column or '' for the usual names, $5
// TableMemory::beginning. A partition bound that is not a time is ignored. The last four columns
// are transaction ids: the youngest one that attached the partition, or one above it; the youngest
// after $5 that changed the publication or its entry of the table; the youngest after $5 that
// changed the table or one above it; and the next one to be assigned.
// Not pg_publication_tables: that view opens every table of the publication, waits for its locks,
// and fails when one is dropped meanwhile.
constexpr absl::string_view kLeaves = R"(
WITH leaf AS (
  SELECT c.oid, n.nspname, c.relname, c.relpersistence, c.relispartition,
         substring(pg_get_expr(c.relpartbound, c.oid)
                   from '^FOR VALUES FROM \([^,]*\) TO \(''(\d{4,}-\d\d-\d\d[^'',]*)''\)$') AS upper_bound
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND (c.oid = ANY ($1::oid[])
     OR c.oid IN (SELECT t.relid FROM unnest($1::oid[]) root, pg_partition_tree(root) t)))
SELECT leaf.nspname, leaf.relname, leaf.relpersistence, leaf.relispartition,
       leaf.upper_bound IS NOT NULL,
       coalesce(leaf.upper_bound::timestamptz <= now() - $3::bigint * interval '1 ms', false),
       published.schemaname, published.tablename, published.filter, times.columns, leaf.oid,
       attached.xid, member.xid, altered.xid, txid_snapshot_xmax(txid_current_snapshot()) % 4294967296
FROM leaf
CROSS JOIN LATERAL (
  SELECT array_agg(relid::oid) || leaf.oid AS path FROM pg_partition_ancestors(leaf.oid)) above
CROSS JOIN LATERAL (
  SELECT (array_agg(i.xmin ORDER BY age(i.xmin)))[1] AS xid
  FROM pg_inherits i WHERE leaf.relispartition AND i.inhrelid = ANY (above.path)) attached
CROSS JOIN LATERAL (
  SELECT (array_agg(change.xid ORDER BY age(change.xid)))[1] AS xid
  FROM (SELECT p.xmin AS xid FROM pg_publication p WHERE p.pubname = $2
        UNION ALL SELECT r.xmin FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid
        WHERE p.pubname = $2 AND r.prrelid = ANY (above.path)) change
  WHERE age(change.xid) < age(nullif($5, '')::xid)) member
CROSS JOIN LATERAL (
  SELECT (array_agg(c.xmin ORDER BY age(c.xmin)))[1] AS xid
  FROM pg_class c WHERE c.oid = ANY (above.path) AND age(c.xmin) < age(nullif($5, '')::xid)) altered
LEFT JOIN LATERAL (
  SELECT n.nspname AS schemaname, c.relname AS tablename,
         CASE WHEN NOT (b.puballtables OR )";
constexpr absl::string_view kPublishedAs = R"(n.oid)) THEN (
           SELECT to_jsonb(r) ->> 'prqual' FROM pg_publication_rel r
           WHERE r.prpubid = b.oid AND r.prrelid = c.oid) END AS filter
  FROM pg_publication b
  CROSS JOIN LATERAL (
    SELECT CASE WHEN to_jsonb(b) ->> 'pubviaroot' = 'true' THEN m.oid ELSE leaf.oid END AS oid
    FROM unnest(above.path) WITH ORDINALITY m(oid, depth) JOIN pg_class k ON k.oid = m.oid
    WHERE b.puballtables OR )";
constexpr absl::string_view kTimes = R"(k.relnamespace) OR EXISTS (
      SELECT 1 FROM pg_publication_rel r WHERE r.prpubid = b.oid AND r.prrelid = m.oid)
    ORDER BY m.oid = leaf.oid, m.depth DESC LIMIT 1) shown
  JOIN pg_class c ON c.oid = shown.oid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE b.pubname = $2 AND b.pubinsert) published ON true
CROSS JOIN LATERAL (
  SELECT string_agg(quote_ident(attname), ',') AS columns
  FROM pg_attribute
  WHERE attrelid = leaf.oid AND attnum > 0 AND NOT attisdropped
    AND atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype)
    AND (attname = $4 OR $4 = '' AND attname IN ('created_at', 'occurred_at', 'timestamp', 'ts'))) times
ORDER BY 1, 2)";
// Whether the publication b publishes the schema whose OID follows.
constexpr absl::string_view kBySchema =
    "EXISTS (SELECT 1 FROM pg_publication_namespace s WHERE s.pnpubid = b.oid AND s.pnnspid = ";
constexpr absl::string_view kNoSchemas = "(false AND 0 = ";

enum LeafColumn {
  kSchema,
  kTable,
  kPersistence,
  kIsPartition,
  kBounded,
  kExpired,
  kPublishedSchema,
  kPublishedTable,
  kRowFilter,
  kTimeColumns,
  kOid,
  kAttached,
  kMember,
  kAltered,
  kNext,
};

absl::Status Refusal(absl::string_view reason, absl::string_view message, absl::string_view hint) {
  return Error(absl::StatusCode::kFailedPrecondition, reason, message, hint);
}

absl::Status CheckPublished(const Result& rows, int row, const TablesQuery& query) {
  const std::string name = absl::StrCat(rows.Get(row, kSchema), ".", rows.Get(row, kTable));
  if (rows.Get(row, kPersistence) != "p") {
    return Refusal(
        "outbox_unlogged",
        absl::StrCat("outbox table ", name, " is not logged: its changes are not in the WAL"),
        absl::StrCat("ALTER TABLE ", name, " SET LOGGED"));
  }
  const bool unpublished = rows.is_null(row, kPublishedTable);
  if (unpublished && !query.to_come) {
    return Refusal("outbox_not_published",
                   absl::StrCat("outbox table ", name, ": publication ", query.publication,
                                " does not publish its inserts"),
                   "add the table to the publication, or remove it from walduct.outbox.tables");
  }
  if (!rows.is_null(row, kRowFilter)) {
    return Refusal("outbox_not_published",
                   absl::StrCat("outbox table ", name, ": publication ", query.publication,
                                " has a row filter for it; rows that it excludes would be deleted "
                                "unpublished"),
                   "remove the row filter, or set walduct.outbox.cleanup=none");
  }
  if (!query.captured->Includes(rows.Get(row, unpublished ? kSchema : kPublishedSchema),
                                rows.Get(row, unpublished ? kTable : kPublishedTable))) {
    return Refusal("outbox_not_captured",
                   absl::StrCat("outbox table ", name,
                                " is not captured: its rows would be deleted unpublished"),
                   "add it to table.include.list, or remove it from walduct.outbox.tables");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TimeColumn(const Result& rows, int row, const TablesQuery& query) {
  const std::string columns(rows.Get(row, kTimeColumns));
  if (query.outbox->retention == absl::ZeroDuration()) return std::string();
  if (!columns.empty() && columns.find(',') == std::string::npos) return columns;
  const std::string wanted =
      query.outbox->time_column.empty()
          ? (columns.empty() ? "has no timestamp column created_at, occurred_at, timestamp or ts"
                             : absl::StrCat("has several timestamp columns: ", columns))
          : absl::StrCat("has no timestamp column ", query.outbox->time_column);
  return Refusal("outbox_no_time_column",
                 absl::StrCat("outbox table ", rows.Get(row, kSchema), ".", rows.Get(row, kTable),
                              " ", wanted),
                 "set walduct.outbox.cleanup.time.column, or walduct.outbox.retention.ms=0");
}

absl::StatusOr<std::vector<Oid>> MatchingTables(Connection& connection,
                                                const OutboxOptions& outbox) {
  names::TableFilterOptions wanted;
  wanted.table_include = outbox.tables;
  const names::TableFilter filter(std::move(wanted));
  ASSIGN_OR_RETURN(const auto tables, postgres::Catalog(connection).CapturedTables(filter));
  return postgres::RelationsOf(tables);
}

absl::StatusOr<Result> QueryLeaves(Connection& connection, const TablesQuery& query) {
  ASSIGN_OR_RETURN(const std::vector<Oid> oids, MatchingTables(connection, *query.outbox));
  if (oids.empty()) {
    return Refusal(
        "outbox_no_tables",
        absl::StrCat("walduct.outbox.tables '", query.outbox->tables->text(), "' matches no table"),
        "name existing tables as schema.table");
  }
  const absl::string_view by_schema =
      connection.server_version() >= 150000 ? kBySchema : kNoSchemas;
  return connection.Query(
      postgres::Rows(kNext + 1), absl::StrCat(kLeaves, by_schema, kPublishedAs, by_schema, kTimes),
      {postgres::OidArray(oids), query.publication,
       absl::StrCat(absl::ToInt64Milliseconds(query.outbox->retention)), query.outbox->time_column,
       query.memory == nullptr ? std::string() : query.memory->beginning});
}

// The younger of two transaction ids; empty: none.
std::string Younger(const std::string& a, const std::string& b) {
  uint32_t left = 0, right = 0;
  if (!absl::SimpleAtoi(a, &left)) return b;
  if (!absl::SimpleAtoi(b, &right)) return a;
  return static_cast<int32_t>(left - right) > 0 ? a : b;
}

// Since when the table is what it is to us, as far as the process has seen it change.
std::string Remember(const Result& rows, int row, TableMemory* memory) {
  const std::string name =
      absl::StrCat(rows.Get(row, kSchema), ".", rows.Get(row, kTable), " ",
                   rows.Get(row, kPublishedSchema), ".", rows.Get(row, kPublishedTable));
  TableMemory::Seen& seen = memory->tables[std::string(rows.Get(row, kOid))];
  if (seen.name == name) return seen.since;
  seen.name = name;
  if (!rows.is_null(row, kAltered)) {
    seen.since = std::string(rows.Get(row, kAltered));
  } else if (memory->looked && rows.is_null(row, kMember)) {
    seen.since = std::string(rows.Get(row, kNext));
  }
  return seen.since;
}

std::string Since(const Result& rows, int row, const TablesQuery& query) {
  std::string since =
      Younger(std::string(rows.Get(row, kAttached)), std::string(rows.Get(row, kMember)));
  if (query.memory != nullptr) since = Younger(since, Remember(rows, row, query.memory));
  return query.outbox->delete_history ? "" : since;
}

}  // namespace

absl::StatusOr<std::vector<Leaf>> FindLeaves(Connection& connection, const TablesQuery& query) {
  ASSIGN_OR_RETURN(const Result rows, QueryLeaves(connection, query));
  std::vector<Leaf> leaves;
  for (int row = 0; row < rows.rows(); ++row) {
    RETURN_IF_ERROR(CheckPublished(rows, row, query));
    Leaf leaf;
    leaf.relation = QuoteQualified(rows.Get(row, kSchema), rows.Get(row, kTable));
    ASSIGN_OR_RETURN(leaf.time_column, TimeColumn(rows, row, query));
    leaf.partition = rows.Get(row, kIsPartition) == "t";
    leaf.bounded = rows.Get(row, kBounded) == "t";
    leaf.expired = rows.Get(row, kExpired) == "t";
    leaf.oid = std::string(rows.Get(row, kOid));
    leaf.since = Since(rows, row, query);
    if (query.outbox->cleanup == OutboxCleanup::kDropPartitions && !leaf.partition) {
      return Refusal("outbox_not_partitioned",
                     absl::StrCat("outbox table ", leaf.relation, " has no partitions to drop"),
                     "set walduct.outbox.cleanup=delete");
    }
    leaves.push_back(std::move(leaf));
  }
  if (query.memory != nullptr) query.memory->looked = true;
  return leaves;
}

absl::Status CheckNoHistory(Connection& connection, const TablesQuery& query) {
  if (query.outbox->delete_history) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Result rows, QueryLeaves(connection, query));
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string relation = QuoteQualified(rows.Get(row, kSchema), rows.Get(row, kTable));
    ASSIGN_OR_RETURN(
        const Result any,
        connection.Query(postgres::OneRow(1),
                         absl::StrCat("SELECT EXISTS (SELECT FROM ONLY ", relation, ")")));
    if (any.Get(0, 0) != "t") continue;
    return Refusal(
        "outbox_history",
        absl::StrCat("outbox table ", relation,
                     " holds rows older than the replication slot, which will not be published as "
                     "events; walduct.outbox.cleanup would delete them unpublished"),
        "publish them with snapshot.mode=initial, delete them, or accept this with "
        "walduct.outbox.cleanup.history=delete");
  }
  return absl::OkStatus();
}

}  // namespace walduct::outbox
