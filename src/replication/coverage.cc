#include "replication/coverage.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "replication/attached_partitions.h"
#include "replication/publication_name.h"

namespace walduct::replication {
namespace {

using postgres::ParseOid;
using postgres::Result;
using postgres::Rows;

constexpr int kFirstWithSchemas = 150000;

// Older servers lack columns. What it has not seen comes to be while the others are asked, and is
// then seen twice, not never. A standby's snapshot lists none of those that run on its primary: the
// oldest stands for all.
constexpr absl::string_view kHead = R"(
SELECT CASE WHEN pg_catalog.pg_is_in_recovery()
  THEN pg_catalog.concat(pg_catalog.txid_snapshot_xmin(s.now), ':', pg_catalog.txid_snapshot_xmin(s.now), ':')
  ELSE s.now::pg_catalog.text END, pg_catalog.txid_snapshot_xmin(s.now), h.*
FROM (SELECT pg_catalog.txid_current_snapshot() AS now) s LEFT JOIN (
SELECT p.oid, p.puballtables, COALESCE(o.via_root, 'false') = 'true',
  pg_catalog.concat(CASE WHEN p.pubinsert THEN 'i' END, CASE WHEN p.pubupdate THEN 'u' END,
    CASE WHEN p.pubdelete THEN 'd' END, CASE WHEN o.truncates = 'true' THEN 't' END,
    CASE WHEN o.via_root = 'true' THEN 'r' END, CASE WHEN o.generated = 's' THEN 'g' END, ' ', p.xmin,
    CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_shdepend d
      WHERE d.dbid = (SELECT b.oid FROM pg_catalog.pg_database b
                      WHERE b.datname = pg_catalog.current_database())
        AND d.classid = 'pg_catalog.pg_publication'::pg_catalog.regclass AND d.objid = p.oid
        AND d.deptype = 'o' AND d.xmin = p.xmin) THEN 'o' END)
FROM pg_catalog.pg_publication p CROSS JOIN LATERAL (
  SELECT pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubtruncate' AS truncates,
         pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubviaroot' AS via_root,
         pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubgencols' AS generated) o
WHERE p.pubname = $1) h ON true)";

constexpr absl::string_view kTables = R"(
SELECT r.oid, r.prrelid, r.prrelid IN (SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relkind = 'p')
FROM pg_catalog.pg_publication_rel r WHERE r.prpubid = $1::pg_catalog.oid)";

constexpr absl::string_view kSchemas = R"(
SELECT r.oid, r.pnnspid FROM pg_catalog.pg_publication_namespace r
WHERE r.pnpubid = $1::pg_catalog.oid)";

// A table's row type is written anew when the table gets another name, schema or owner, its own
// columns when it becomes a partition, its system columns never: all have the ids of their
// transaction and of its command. New files get numbers of their own.
constexpr absl::string_view kAsked = R"(
SELECT c.oid, c.relnamespace, c.relkind = 'p', c.relpersistence = 'p',
  (NOT (t.xmin = a.xmin AND t.cmin = a.cmin) AND NOT EXISTS (SELECT FROM pg_catalog.pg_shdepend o
     WHERE o.dbid = (SELECT d.oid FROM pg_catalog.pg_database d
                     WHERE d.datname = pg_catalog.current_database())
       AND o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND o.objid = c.oid
       AND o.objsubid = 0 AND o.deptype = 'o' AND o.xmin = t.xmin AND o.cmin = t.cmin))
  OR coalesce(NOT i.xmin = a.xmin, false),
  pg_catalog.age(n.xmin) < pg_catalog.age(a.xmin), c.relpersistence = 'u',
  c.relkind = 'r' AND NOT c.relfilenode = c.oid, c.relhassubclass
FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
JOIN pg_catalog.pg_class c ON c.oid = w.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = -1
LEFT JOIN pg_catalog.pg_type t ON t.oid = c.reltype
LEFT JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid AND c.relispartition)";

constexpr absl::string_view kParents = R"(
WITH RECURSIVE up(oid, parent) AS (
  SELECT c.oid, i.inhparent FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
  JOIN pg_catalog.pg_class c ON c.oid = w.oid AND c.relispartition
  JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid
  UNION
  SELECT up.oid, i.inhparent FROM up
  JOIN pg_catalog.pg_class c ON c.oid = up.parent AND c.relispartition
  JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.parent)
SELECT up.oid, up.parent, c.relnamespace
FROM up JOIN pg_catalog.pg_class c ON c.oid = up.parent)";

// Partitions that are not in the WAL, and the tables above them.
constexpr absl::string_view kUnlogged = R"(
WITH RECURSIVE up(parent) AS (
  SELECT i.inhparent FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid
  WHERE c.relkind = 'r' AND c.relpersistence = 'u' AND c.relispartition
  UNION
  SELECT i.inhparent FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.parent)
SELECT parent FROM up)";

// By table and by schema.
struct Entries {
  absl::flat_hash_map<Oid, Oid> tables, schemas;
};

absl::StatusOr<bool> ReadHead(postgres::Connection& connection, const std::string& name,
                              Coverage* coverage) {
  ASSIGN_OR_RETURN(const Result head, connection.Query(postgres::OneRow(6), kHead, {name}));
  coverage->seen = SeenText(head.Get(0, 0), head.Get(0, 1));
  if (head.is_null(0, 2)) return false;
  coverage->publication = ParseOid(head.Get(0, 2));
  coverage->name = name;
  coverage->all_tables = head.Get(0, 3) == "t";
  coverage->settings = std::string(head.Get(0, 5));
  return head.Get(0, 4) == "t";
}

absl::StatusOr<Entries> ReadEntries(postgres::Connection& connection, Coverage* coverage) {
  Entries entries;
  const std::string id = absl::StrCat(ToInteger(coverage->publication));
  ASSIGN_OR_RETURN(const Result tables, connection.Query(Rows(3), kTables, {id}));
  for (int row = 0; row < tables.rows(); ++row) {
    const Oid entry = ParseOid(tables.Get(row, 0));
    entries.tables.emplace(ParseOid(tables.Get(row, 1)), entry);
    if (tables.Get(row, 2) == "t") coverage->names_others.push_back(entry);
  }
  if (connection.server_version() >= kFirstWithSchemas) {
    ASSIGN_OR_RETURN(const Result schemas, connection.Query(Rows(2), kSchemas, {id}));
    for (int row = 0; row < schemas.rows(); ++row) {
      const Oid entry = ParseOid(schemas.Get(row, 0));
      entries.schemas.emplace(ParseOid(schemas.Get(row, 1)), entry);
      coverage->names_others.push_back(entry);
    }
  }
  std::sort(coverage->names_others.begin(), coverage->names_others.end());
  return entries;
}

void AddNames(const Entries& entries, Oid table, Oid schema, std::vector<Oid>* names) {
  if (const auto own = entries.tables.find(table); own != entries.tables.end())
    names->push_back(own->second);
  if (const auto whole = entries.schemas.find(schema); whole != entries.schemas.end())
    names->push_back(whole->second);
}

absl::Status LookForUnlogged(postgres::Connection& connection, Coverage* coverage) {
  ASSIGN_OR_RETURN(const Result above, connection.Query(Rows(1), kUnlogged));
  for (int row = 0; row < above.rows(); ++row) {
    const auto table = coverage->tables.find(ParseOid(above.Get(row, 0)));
    if (table != coverage->tables.end()) table->second.unlogged = true;
  }
  return absl::OkStatus();
}

absl::Status LookForAttached(postgres::Connection& connection, bool via_root, Coverage* coverage) {
  AttachedQuery query{.tables = {}, .via_root = via_root, .since = coverage->since};
  for (const auto& [relation, table] : coverage->tables) {
    if (table.sent && (via_root || !coverage->all_tables)) query.tables.push_back(relation);
  }
  ASSIGN_OR_RETURN(coverage->attached, ReadAttached(connection, query));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Coverage> ReadCoverage(postgres::Connection& connection,
                                      absl::string_view publication,
                                      const std::vector<postgres::TableName>& tables,
                                      absl::string_view since) {
  Coverage coverage;
  ASSIGN_OR_RETURN(const std::string name, ResolvePublicationName(connection, publication));
  ASSIGN_OR_RETURN(const bool via_root, ReadHead(connection, name, &coverage));
  ASSIGN_OR_RETURN(const Entries entries, ReadEntries(connection, &coverage));
  const std::vector<Oid> oids = postgres::RelationsOf(tables);
  const std::string asked = postgres::OidArray(oids);
  ASSIGN_OR_RETURN(const Result found, connection.Query(Rows(9), kAsked, {asked}));
  for (int row = 0; row < found.rows(); ++row) {
    const Oid relation = ParseOid(found.Get(row, 0));
    Coverage::Table& table = coverage.tables[relation];
    AddNames(entries, relation, ParseOid(found.Get(row, 1)), &table.named_by);
    table.by_itself = coverage.all_tables || !table.named_by.empty();
    const bool by_leaves = found.Get(row, 2) == "t" && !via_root;
    table.sent = found.Get(row, 3) == "t" && !by_leaves;
    table.by_leaves = by_leaves && found.Get(row, 8) == "t";
    table.placed_later = found.Get(row, 4) == "t";
    table.schema_changed = found.Get(row, 5) == "t";
    table.unlogged = found.Get(row, 6) == "t";
    table.rewritten = found.Get(row, 7) == "t";
  }
  ASSIGN_OR_RETURN(const Result parents, connection.Query(Rows(3), kParents, {asked}));
  for (int row = 0; row < parents.rows(); ++row) {
    const auto table = coverage.tables.find(ParseOid(parents.Get(row, 0)));
    if (table == coverage.tables.end()) continue;
    if (const auto root = coverage.tables.find(ParseOid(parents.Get(row, 1)));
        root != coverage.tables.end())
      root->second.by_leaves = false;
    std::vector<Oid> above;
    AddNames(entries, ParseOid(parents.Get(row, 1)), ParseOid(parents.Get(row, 2)), &above);
    if (via_root && (coverage.all_tables || !above.empty())) table->second.sent = false;
    std::vector<Oid>& names = table->second.named_by;
    names.insert(names.end(), above.begin(), above.end());
  }
  for (auto& [relation, table] : coverage.tables) {
    std::sort(table.named_by.begin(), table.named_by.end());
    table.sent = table.sent && (coverage.all_tables || !table.named_by.empty());
  }
  if (via_root) RETURN_IF_ERROR(LookForUnlogged(connection, &coverage));
  if (since.empty()) return coverage;
  coverage.since = std::string(since);
  RETURN_IF_ERROR(LookForAttached(connection, via_root, &coverage));
  RETURN_IF_ERROR(LookForOlderRows(connection, &coverage));
  RETURN_IF_ERROR(LookForPlaced(connection, &coverage));
  return coverage;
}

}  // namespace walduct::replication
