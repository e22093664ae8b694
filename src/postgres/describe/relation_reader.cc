#include "postgres/describe/relation_reader.h"

#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/describe/key_risk.h"
#include "postgres/oid_text.h"

namespace walduct::postgres {
namespace {

// When the server itself stumbles over a drop under way; the next look does not find it.
constexpr int kRetries = 5;

// One row per column, and one with a NULL name for a table without columns. The transaction id of
// the stream has 32 bits, and is at most 2^31 before the newest.
//
// pg_get_expr locks the table that it is told of. On a standby replay holds a lock until it comes
// to its end, which may wait for the stream that asks: there it is told of none, as a default knows
// no columns; what a generated column is made of does, and is no default.
constexpr absl::string_view kColumnsBeforeDefault = R"(
SELECT n.nspname, c.relname, c.relreplident, a.attname, a.atttypid, a.atttypmod, a.attnotnull, a.attidentity,
       CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid)
            WHEN )";
constexpr absl::string_view kColumnsBeforeGenerated =
    R"( = '' THEN pg_catalog.pg_get_expr(d.adbin, 0) END,
       (SELECT pg_catalog.txid_visible_in_snapshot(CASE WHEN id > newest + 2147483648 THEN GREATEST(id - 4294967296, 0) ELSE id END, shot)
        FROM (SELECT *, (newest >> 32 << 32) | $2::pg_catalog.int8 AS id
              FROM (SELECT *, pg_catalog.txid_snapshot_xmax(shot) AS newest
                    FROM (SELECT pg_catalog.txid_current_snapshot() AS shot) a) b) c),
       COALESCE((SELECT pg_catalog.bool_and(pg_catalog.has_table_privilege(t.oid, 'SELECT')) AND pg_catalog.count(*) = 3
                 FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace s ON s.oid = t.relnamespace
                 WHERE s.nspname = '_timescaledb_catalog' AND t.relname IN ('chunk', 'hypertable', 'continuous_agg')
                   AND pg_catalog.has_schema_privilege(s.oid, 'USAGE')), false), )";
// After it, of the replica identity: how many columns of its index are those of the key.
constexpr absl::string_view kColumnsBeforeCount = R"(, c.relkind = 'p',
       CASE WHEN c.relreplident IN ('f', 'n') THEN c.relreplident = 'f' ELSE EXISTS (
         SELECT FROM pg_catalog.pg_index i
         WHERE i.indrelid = c.oid
           AND CASE c.relreplident WHEN 'd' THEN i.indisprimary AND i.indimmediate ELSE i.indisreplident END
           AND a.attnum = ANY ((i.indkey::pg_catalog.int2[])[0:)";
constexpr absl::string_view kColumnsAfterCount = R"( - 1])) END, a.attnum,
       (SELECT i.inhparent FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid AND c.relispartition LIMIT 1)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE c.oid = $1::pg_catalog.oid
ORDER BY a.attnum)";

enum RelationColumnIndex {
  kSchema,
  kTable,
  kReplicaIdentity,
  kName,
  kType,
  kTypmod,
  kNotNull,
  kIdentity,
  kDefault,
  kSettled,
  kHasChunks,
  kGenerated,
  kPartitioned,
  kInIdentity,
  kAttnum,
  kParent,
  kColumnsWidth,
};

// The best key index, its columns in order. Covering (INCLUDE) columns come after the key columns;
// they are cut off a primary key, and belong to the key of a unique index, as in Debezium. An
// expression shows as attribute number 0. An index that is not valid does not
// keep duplicates out, except that a primary key's NOT NULL and intention hold anyway.
constexpr absl::string_view kKeyBeforeCount = R"(
WITH candidates AS (
  SELECT i.*, ic.relname,
         (i.indkey::pg_catalog.int2[])[0:CASE WHEN i.indisprimary THEN )";
constexpr absl::string_view kKeyAfterCount = R"( ELSE i.indnatts END - 1] AS attnums
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
  WHERE i.indrelid = $1::pg_catalog.oid
), chosen AS (
  SELECT * FROM candidates
  WHERE indisprimary OR (indisunique AND indisvalid AND NOT 0 = ANY (attnums))
  ORDER BY indisprimary DESC, indisclustered DESC, relname::pg_catalog.text COLLATE "C"
  LIMIT 1
)
SELECT a.attname, k.indisprimary, )";
constexpr absl::string_view kKeyAfterRisk = R"(
FROM chosen k
CROSS JOIN LATERAL pg_catalog.unnest(k.attnums) WITH ORDINALITY x(attnum, position)
JOIN pg_catalog.pg_attribute a ON a.attrelid = k.indrelid AND a.attnum = x.attnum
ORDER BY x.position)";

// Columns that are part of the replica identity of all partitions, which each have one of their
// own; NULL: every column. Where there is none, the server takes neither updates nor deletes. This
// reads no more than the indexes of those that are not FULL.
constexpr absl::string_view kPartitionsBeforeCount = R"(
WITH RECURSIVE below(oid) AS (
  SELECT $1::pg_catalog.oid
  UNION ALL SELECT i.inhrelid FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid
), keyed AS (
  SELECT c.oid, (i.indkey::pg_catalog.int2[])[0:)";
constexpr absl::string_view kPartitionsAfterCount = R"( - 1] AS attnums
  FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.oid AND c.relkind = 'r'
  JOIN pg_catalog.pg_index i ON i.indrelid = c.oid
    AND CASE c.relreplident WHEN 'd' THEN i.indisprimary AND i.indimmediate
                            WHEN 'i' THEN i.indisreplident ELSE false END
)
SELECT a.attname
FROM keyed k JOIN pg_catalog.pg_attribute a ON a.attrelid = k.oid AND a.attnum = ANY (k.attnums)
GROUP BY a.attname
HAVING pg_catalog.count(*) = (SELECT pg_catalog.count(*) FROM keyed)
UNION ALL SELECT NULL WHERE NOT EXISTS (SELECT FROM keyed))";

// A hypertable may be where a continuous aggregate keeps its rows.
constexpr absl::string_view kHypertable = R"(
SELECT h.schema_name, h.table_name, a.user_view_schema, a.user_view_name
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN _timescaledb_catalog.chunk k ON k.schema_name = n.nspname AND k.table_name = c.relname
JOIN _timescaledb_catalog.hypertable h ON h.id = k.hypertable_id
LEFT JOIN _timescaledb_catalog.continuous_agg a ON a.mat_hypertable_id = h.id
WHERE c.oid = $1::pg_catalog.oid
LIMIT 1)";

event::ReplicaIdentity ParseReplicaIdentity(absl::string_view text) {
  switch (text.empty() ? 'd' : text[0]) {
    case 'n':
      return event::ReplicaIdentity::kNothing;
    case 'f':
      return event::ReplicaIdentity::kFull;
    case 'i':
      return event::ReplicaIdentity::kIndex;
    default:
      return event::ReplicaIdentity::kDefault;
  }
}

CatalogColumn ReadColumn(const Result& result, int row) {
  CatalogColumn column;
  column.name = std::string(result.Get(row, kName));
  column.type = ParseOid(result.Get(row, kType));
  column.typmod = ParseInt(result.Get(row, kTypmod), -1);
  column.not_null = result.Get(row, kNotNull) == "t";
  column.identity = !result.Get(row, kIdentity).empty();
  column.generated = !result.Get(row, kGenerated).empty();
  column.old_value_sent = result.Get(row, kInIdentity) == "t";
  column.attnum = static_cast<int16_t>(ParseInt(result.Get(row, kAttnum), 0));
  if (!result.is_null(row, kDefault)) {
    column.default_expression = std::string(result.Get(row, kDefault));
  }
  return column;
}

// Covering (INCLUDE) columns come after those of the key.
absl::string_view KeyColumnsOfIndex(int server_version) {
  return server_version >= 110000 ? "i.indnkeyatts" : "i.indnatts";
}

}  // namespace

Statement ColumnsStatement(int server_version, Oid relation, uint32_t transaction) {
  const absl::string_view generated = server_version >= 120000 ? "a.attgenerated" : "''";
  return {absl::StrCat(kColumnsBeforeDefault, generated, kColumnsBeforeGenerated, generated,
                       kColumnsBeforeCount, KeyColumnsOfIndex(server_version), kColumnsAfterCount),
          {absl::StrCat(ToInteger(relation)), absl::StrCat(transaction)},
          Rows(kColumnsWidth)};
}

std::optional<CatalogRelation> ReadColumns(const Result& result) {
  if (result.rows() == 0) return std::nullopt;
  CatalogRelation read;
  read.schema = std::string(result.Get(0, kSchema));
  read.table = std::string(result.Get(0, kTable));
  read.replica_identity = ParseReplicaIdentity(result.Get(0, kReplicaIdentity));
  read.settled = result.Get(0, kSettled) == "t";
  read.has_chunks = result.Get(0, kHasChunks) == "t";
  read.partitioned = result.Get(0, kPartitioned) == "t";
  read.parent = ParseOid(result.Get(0, kParent));
  for (int row = 0; row < result.rows(); ++row) {
    if (!result.is_null(row, kName)) read.columns.push_back(ReadColumn(result, row));
  }
  return read;
}

Statement KeyStatement(int server_version, Oid relation) {
  return {absl::StrCat(kKeyBeforeCount, KeyColumnsOfIndex(server_version), kKeyAfterCount,
                       KeyRiskSql(server_version), kKeyAfterRisk),
          {absl::StrCat(ToInteger(relation))},
          Rows(3)};
}

void ReadKey(const Result& result, CatalogRelation* relation) {
  for (int row = 0; row < result.rows(); ++row) {
    relation->key.emplace_back(result.Get(row, 0));
    relation->primary_key = result.Get(row, 1) == "t";
    relation->key_risk = std::string(result.Get(row, 2));
  }
}

Statement PartitionsStatement(int server_version, Oid relation) {
  return {absl::StrCat(kPartitionsBeforeCount, KeyColumnsOfIndex(server_version),
                       kPartitionsAfterCount),
          {absl::StrCat(ToInteger(relation))},
          Rows(1)};
}

void ReadPartitions(const Result& result, CatalogRelation* relation) {
  std::set<absl::string_view> sent;
  bool all = false;
  for (int row = 0; row < result.rows(); ++row) {
    all = all || result.is_null(row, 0);
    sent.insert(result.Get(row, 0));
  }
  for (CatalogColumn& column : relation->columns)
    column.old_value_sent = all || sent.contains(column.name);
}

Statement HypertableStatement(Oid relation) {
  return {std::string(kHypertable), {absl::StrCat(ToInteger(relation))}, Rows(4)};
}

void ReadHypertable(const Result& result, CatalogRelation* relation) {
  if (result.rows() == 0) return;
  relation->hypertable = std::make_shared<const event::Hypertable>(
      event::Hypertable{.schema = std::string(result.Get(0, 0)),
                        .table = std::string(result.Get(0, 1)),
                        .aggregate_schema = std::string(result.Get(0, 2)),
                        .aggregate = std::string(result.Get(0, 3))});
}

namespace {

absl::StatusOr<std::optional<CatalogRelation>> ReadOnce(Connection& connection, Oid relation) {
  const int version = connection.server_version();
  const Statement columns = ColumnsStatement(version, relation, 0);
  ASSIGN_OR_RETURN(const Result columns_result, connection.Query(columns));
  std::optional<CatalogRelation> read = ReadColumns(columns_result);
  if (!read) return read;
  const Statement key = KeyStatement(version, relation);
  ASSIGN_OR_RETURN(const Result key_result, connection.Query(key));
  ReadKey(key_result, &*read);
  if (read->partitioned) {
    const Statement partitions = PartitionsStatement(version, relation);
    ASSIGN_OR_RETURN(const Result partitions_result, connection.Query(partitions));
    ReadPartitions(partitions_result, &*read);
  }
  if (!read->has_chunks) return read;
  const Statement chunk = HypertableStatement(relation);
  ASSIGN_OR_RETURN(const Result chunk_result, connection.Query(chunk));
  ReadHypertable(chunk_result, &*read);
  return read;
}

}  // namespace

absl::StatusOr<std::optional<CatalogRelation>> ReadRelation(Connection& connection, Oid relation) {
  auto read = ReadOnce(connection, relation);
  for (int again = 0; again < kRetries && ErrorReason(read.status()) == "relation_vanished";
       ++again)
    read = ReadOnce(connection, relation);
  return read;
}

}  // namespace walduct::postgres
