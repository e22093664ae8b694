#include "replication/capture/capture_catalog.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "replication/publication/publication_catalog.h"
#include "replication/publication/refused_writes.h"

namespace walduct::replication {
namespace {

using postgres::ParseOid;
using postgres::Result;
using postgres::Rows;

constexpr int kFirstWithSchemas = 150000;

// Somebody may hold a lock even on a catalog (VACUUM FULL).
constexpr absl::string_view kBegin =
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL lock_timeout = '500ms'";

// Each row of a catalog has the id of the transaction that wrote it last; ANALYZE and VACUUM, which
// write in place, leave it. $0: the rows. Their number and a sum of ids, told by their ages, which
// are cheap to add.
constexpr absl::string_view kMarkOf = R"(
  (SELECT pg_catalog.concat(pg_catalog.count(*), ':',
            pg_catalog.sum(pg_catalog.age(xmin)) - pg_catalog.count(*) * f.age)
   FROM pg_catalog.$0))";
constexpr absl::string_view kMarked[] = {
    "pg_class WHERE relkind IN ('r', 'p') AND relpersistence <> 't' AND oid >= 16384",
    "pg_index WHERE (indisprimary OR indisreplident) AND indrelid >= 16384",
    "pg_inherits",
    "pg_namespace WHERE pg_catalog.left(nspname::pg_catalog.text, 3) <> 'pg_'",
    "pg_publication",
    "pg_publication_rel",
    "pg_publication_namespace"};  // the last one: of newer servers
constexpr absl::string_view kMarkFrom =
    ") FROM (SELECT pg_catalog.age('3'::pg_catalog.xid) AS age) f";

// Older servers lack columns.
constexpr absl::string_view kPublication = R"(
SELECT p.puballtables, p.pubinsert, p.pubupdate, p.pubdelete,
       pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubtruncate',
       pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubviaroot',
       (pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubgencols') = 's', p.oid,
       pg_catalog.pg_has_role(p.pubowner, 'USAGE'), pg_catalog.pg_is_in_recovery()
FROM pg_catalog.pg_publication p WHERE p.pubname = $1)";

constexpr absl::string_view kNames = "SELECT p.oid, p.pubname FROM pg_catalog.pg_publication p";

constexpr absl::string_view kMembers = R"(
SELECT r.prrelid, '', false, false
FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
WHERE p.pubname = $1)";
constexpr absl::string_view kMembersWithLists = R"(
SELECT r.prrelid, r.prqual::pg_catalog.text,
       r.prattrs IS NOT NULL AND EXISTS (
         SELECT FROM pg_catalog.pg_attribute a
         WHERE a.attrelid = r.prrelid AND a.attnum > 0 AND NOT a.attisdropped
           AND a.attgenerated = '' AND NOT a.attnum = ANY (r.prattrs)),
       r.prattrs IS NOT NULL
FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
WHERE p.pubname = $1)";

// $0: columns of the publication, $1 … $3: the conditions. Most tables have no generated column.
constexpr absl::string_view kRefusals = R"(
WITH publication AS (
  SELECT p.oid$0 FROM pg_catalog.pg_publication p
  WHERE p.pubname = $$1 AND (p.pubupdate OR p.pubdelete))
SELECT c.oid, CASE WHEN $1 THEN 'g' WHEN $2 THEN 'l' ELSE 'f' END
FROM pg_catalog.pg_class c
WHERE c.relkind = 'r' AND c.oid >= 16384 AND EXISTS (SELECT FROM publication)
  AND (c.oid IN (SELECT a.attrelid FROM pg_catalog.pg_attribute a
                 WHERE a.attrelid >= 16384 AND a.attgenerated <> '') AND $1
       OR $2 OR $3))";

// A deferrable primary key cannot be the replica identity.
constexpr absl::string_view kTables = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind = 'p', c.relpersistence = 'u',
       c.relkind = 'r' AND c.relhassubclass, h.inhparent,
       CASE WHEN c.relreplident = 'f' THEN 'f' WHEN i.indrelid IS NOT NULL THEN 'k'
       WHEN EXISTS (SELECT FROM pg_catalog.pg_index k
                    WHERE k.indrelid = c.oid AND k.indisprimary AND k.indimmediate) THEN 'p'
       ELSE 'n' END, pg_catalog.pg_has_role(c.relowner, 'USAGE')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_inherits h ON c.relispartition AND h.inhrelid = c.oid
LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid
  AND CASE c.relreplident WHEN 'd' THEN i.indisprimary AND i.indimmediate
      WHEN 'i' THEN i.indisreplident ELSE false END
WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
  AND pg_catalog.left(n.nspname::pg_catalog.text, 3) <> 'pg_'
  AND n.nspname <> 'information_schema')";

// As a table's key is chosen: the primary one, else a unique index of columns.
constexpr absl::string_view kKeyless = R"(
SELECT t.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) t(oid)
WHERE NOT EXISTS (
  SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = t.oid
    AND (i.indisprimary OR (i.indisunique AND i.indisvalid
                            AND NOT 0 = ANY (i.indkey::pg_catalog.int2[])))))";

constexpr absl::string_view kGenerated = R"(
SELECT a.attrelid, pg_catalog.bool_or(a.attgenerated = 's'), pg_catalog.bool_or(a.attgenerated = 'v')
FROM pg_catalog.pg_attribute a
WHERE a.attrelid >= 16384 AND a.attgenerated <> '' AND NOT a.attisdropped GROUP BY 1)";

// What writes has more than the two weakest locks, to the end of its transaction. A prepared
// transaction has a name here too.
constexpr absl::string_view kWriters = R"(
SELECT DISTINCT CASE WHEN pg_catalog.pg_is_in_recovery()
         THEN pg_catalog.concat('before ', pg_catalog.txid_snapshot_xmax(
                                  pg_catalog.txid_current_snapshot()))
         ELSE l.virtualtransaction END
FROM (SELECT 1) one
LEFT JOIN pg_catalog.pg_locks l ON l.locktype = 'relation' AND l.granted
  AND l.relation = ANY ($1::pg_catalog.oid[])
  AND l.mode NOT IN ('AccessShareLock', 'RowShareLock', 'ShareUpdateExclusiveLock',
                     'SIReadLock')
  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d
                    WHERE d.datname = pg_catalog.current_database())
WHERE pg_catalog.pg_is_in_recovery() OR l.virtualtransaction IS NOT NULL)";

constexpr absl::string_view kOldestRunning =
    "SELECT pg_catalog.txid_snapshot_xmin(pg_catalog.txid_current_snapshot())";
constexpr absl::string_view kBefore = "before ";

bool Flag(const Result& result, int row, int column, bool otherwise = false) {
  const absl::string_view text = result.Get(row, column);
  return text.empty() ? otherwise : text == "t" || text == "true";
}

// Refusals are of what an entry leaves out, or of a generated column. Most publications have none
// of these, and planning the question takes the server longer than all the others.
bool MayRefuse(const PublicationFacts& publication, const std::vector<TableFacts>& tables) {
  return std::any_of(publication.members.begin(), publication.members.end(),
                     [](const auto& member) {
                       return member.second.has_list || !member.second.filter.empty();
                     }) ||
         std::any_of(tables.begin(), tables.end(), [](const TableFacts& table) {
           return table.stored_ones || table.virtual_ones;
         });
}

absl::Status ReadRefusals(postgres::Connection& connection, PublicationFacts* facts) {
  constexpr absl::string_view kOf = "publication";
  const int version = connection.server_version();
  const std::string sql =
      absl::Substitute(kRefusals, version >= kVersionWithUnsent ? ", p.pubgencols" : "",
                       GeneratedInIdentity(version, kOf), ListLacksIdentity(version, kOf),
                       FilterBeyondIdentity(version, kOf));
  ASSIGN_OR_RETURN(const Result result, connection.Query(Rows(2), sql, {facts->name}));
  for (int row = 0; row < result.rows(); ++row) {
    const absl::string_view why = result.Get(row, 1);
    facts->refusals.emplace(ParseOid(result.Get(row, 0)), why == "g"   ? Refusal::kGenerated
                                                          : why == "l" ? Refusal::kList
                                                                       : Refusal::kFilter);
  }
  return absl::OkStatus();
}

absl::StatusOr<PublicationFacts> ReadPublicationFacts(postgres::Connection& connection,
                                                      const std::string& name) {
  PublicationFacts facts;
  facts.name = name;
  ASSIGN_OR_RETURN(const Result state, connection.Query(Rows(10), kPublication, {name}));
  if (state.rows() == 0) return facts;
  facts.exists = true;
  facts.all_tables = Flag(state, 0, 0);
  facts.inserts = Flag(state, 0, 1);
  facts.updates = Flag(state, 0, 2);
  facts.deletes = Flag(state, 0, 3);
  facts.truncates = Flag(state, 0, 4);
  facts.via_root = Flag(state, 0, 5);
  facts.generated = Flag(state, 0, 6);
  facts.oid = ParseOid(state.Get(0, 7));
  facts.owned = Flag(state, 0, 8);
  facts.on_standby = Flag(state, 0, 9);
  const bool with_lists = connection.server_version() >= kFirstWithSchemas;
  ASSIGN_OR_RETURN(const Result members,
                   connection.Query(Rows(4), with_lists ? kMembersWithLists : kMembers, {name}));
  for (int row = 0; row < members.rows(); ++row) {
    facts.members.emplace(ParseOid(members.Get(row, 0)),
                          MemberFacts{.filter = std::string(members.Get(row, 1)),
                                      .all_columns = !Flag(members, row, 2),
                                      .has_list = Flag(members, row, 3)});
  }
  if (!with_lists) return facts;
  ASSIGN_OR_RETURN(const std::vector<std::string> schemas, ReadPublishedSchemas(connection, name));
  facts.schemas.insert(schemas.begin(), schemas.end());
  return facts;
}

SentIdentity IdentityOf(absl::string_view letter) {
  if (letter == "f") return SentIdentity::kFull;
  return letter == "k" ? SentIdentity::kKey : SentIdentity::kNone;
}

absl::Status LookForGenerated(postgres::Connection& connection, std::vector<TableFacts>* tables) {
  if (connection.server_version() < kVersionWithUnsent) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Result result, connection.Query(Rows(3), kGenerated));
  std::map<Oid, int> rows;
  for (int row = 0; row < result.rows(); ++row) rows.emplace(ParseOid(result.Get(row, 0)), row);
  if (rows.empty()) return absl::OkStatus();
  for (TableFacts& table : *tables) {
    const auto found = rows.find(table.relation);
    if (found == rows.end()) continue;
    table.stored_ones = Flag(result, found->second, 1);
    table.virtual_ones = Flag(result, found->second, 2);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TableFacts>> ReadTableFacts(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const Result result, connection.Query(Rows(9), kTables));
  std::vector<TableFacts> tables;
  tables.reserve(static_cast<size_t>(result.rows()));
  for (int row = 0; row < result.rows(); ++row) {
    tables.push_back({.relation = ParseOid(result.Get(row, 0)),
                      .schema = std::string(result.Get(row, 1)),
                      .table = std::string(result.Get(row, 2)),
                      .partitioned = Flag(result, row, 3),
                      .unlogged = Flag(result, row, 4),
                      .has_children = Flag(result, row, 5),
                      .parent = ParseOid(result.Get(row, 6)),
                      .identity = IdentityOf(result.Get(row, 7)),
                      .has_key = result.Get(row, 7) == "p",
                      .owned = Flag(result, row, 8)});
  }
  RETURN_IF_ERROR(LookForGenerated(connection, &tables));
  return tables;
}

absl::StatusOr<CaptureFacts> ReadInTransaction(postgres::Connection& connection,
                                               const std::vector<std::string>& publications) {
  CaptureFacts facts;
  for (const std::string& name : publications) {
    ASSIGN_OR_RETURN(PublicationFacts one, ReadPublicationFacts(connection, name));
    facts.publications.push_back(std::move(one));
  }
  ASSIGN_OR_RETURN(facts.tables, ReadTableFacts(connection));
  for (PublicationFacts& publication : facts.publications)
    if (MayRefuse(publication, facts.tables))
      RETURN_IF_ERROR(ReadRefusals(connection, &publication));
  ASSIGN_OR_RETURN(const Result names, connection.Query(Rows(2), kNames));
  for (int row = 0; row < names.rows(); ++row)
    facts.names.emplace(ParseOid(names.Get(row, 0)), names.Get(row, 1));
  return facts;
}

}  // namespace

absl::StatusOr<std::string> ReadCaptureMark(postgres::Connection& connection) {
  size_t catalogs = std::size(kMarked);
  if (connection.server_version() < kFirstWithSchemas) --catalogs;
  std::string sql = "SELECT pg_catalog.concat_ws(' '";
  for (size_t i = 0; i < catalogs; ++i)
    absl::StrAppend(&sql, ",", absl::Substitute(kMarkOf, kMarked[i]));
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(postgres::OneRow(1), absl::StrCat(sql, kMarkFrom)));
  return std::string(result.Get(0, 0));
}

absl::StatusOr<CaptureFacts> ReadCaptureFacts(postgres::Connection& connection,
                                              const std::vector<std::string>& publications) {
  RETURN_IF_ERROR(connection.Run(kBegin));
  absl::StatusOr<CaptureFacts> facts = ReadInTransaction(connection, publications);
  const absl::Status ended = connection.Run("COMMIT");
  if (facts.ok() && !ended.ok()) return ended;
  return facts;
}

absl::StatusOr<std::set<Oid>> ReadKeyless(postgres::Connection& connection,
                                          const std::vector<Oid>& tables) {
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(Rows(1), kKeyless, {postgres::OidArray(tables)}));
  std::set<Oid> keyless;
  for (int row = 0; row < result.rows(); ++row) keyless.insert(ParseOid(result.Get(row, 0)));
  return keyless;
}

absl::Status MarkKeyless(postgres::Connection& connection, const std::vector<TableFacts>& tables,
                         std::vector<CaptureFinding>* findings) {
  std::map<std::string, Oid> by_name;
  for (const TableFacts& table : tables)
    by_name.emplace(absl::StrCat(table.schema, ".", table.table), table.relation);
  // What is read: the table that it comes with, or itself, under the name that it has now.
  const auto relation_of = [&by_name](const CaptureFinding& finding) {
    if (const auto with = by_name.find(finding.read_with); with != by_name.end())
      return with->second;
    if (finding.relation != Oid{}) return finding.relation;
    for (const std::string& name : {finding.renamed_to, finding.table})
      if (const auto found = by_name.find(name); found != by_name.end()) return found->second;
    return Oid{};
  };
  std::vector<Oid> asked;
  for (const CaptureFinding& finding : *findings)
    if (relation_of(finding) != Oid{}) asked.push_back(relation_of(finding));
  if (asked.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::set<Oid> keyless, ReadKeyless(connection, asked));
  for (CaptureFinding& finding : *findings)
    finding.keyless = keyless.contains(relation_of(finding));
  return absl::OkStatus();
}

absl::StatusOr<std::set<std::string>> ReadWriters(postgres::Connection& connection,
                                                  const std::vector<Oid>& tables) {
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(Rows(1), kWriters, {postgres::OidArray(tables)}));
  std::set<std::string> writers;
  for (int row = 0; row < result.rows(); ++row) writers.emplace(result.Get(row, 0));
  return writers;
}

absl::StatusOr<std::set<std::string>> StillRunning(postgres::Connection& connection,
                                                   const std::set<std::string>& writers,
                                                   const std::vector<Oid>& tables) {
  std::set<std::string> running;
  if (writers.empty()) return running;
  if (absl::StartsWith(*writers.begin(), kBefore)) {
    ASSIGN_OR_RETURN(const Result result, connection.Query(postgres::OneRow(1), kOldestRunning));
    uint64_t limit = 0, oldest = 0;
    const bool known = absl::SimpleAtoi(writers.begin()->substr(kBefore.size()), &limit) &&
                       absl::SimpleAtoi(result.Get(0, 0), &oldest);
    if (!known || oldest < limit) running = writers;
    return running;
  }
  ASSIGN_OR_RETURN(const std::set<std::string> now, ReadWriters(connection, tables));
  std::set_intersection(writers.begin(), writers.end(), now.begin(), now.end(),
                        std::inserter(running, running.end()));
  return running;
}

}  // namespace walduct::replication
