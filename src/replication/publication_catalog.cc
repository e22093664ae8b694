#include "replication/publication_catalog.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"

namespace walduct::replication {
namespace {

using postgres::ParseOid;
using postgres::Result;

constexpr absl::string_view kState = R"(
SELECT p.puballtables, p.pubinsert, p.pubupdate, p.pubdelete)";
constexpr absl::string_view kStateFrom =
    R"( FROM pg_catalog.pg_publication p WHERE p.pubname = $1)";

// Not pg_publication_tables: that lists partitions in place of their root, or the other way round.
constexpr absl::string_view kMembers = R"(
SELECT c.oid, n.nspname, c.relname
FROM pg_catalog.pg_publication p
JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
JOIN pg_catalog.pg_class c ON c.oid = r.prrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE p.pubname = $1
ORDER BY n.nspname, c.relname)";

constexpr absl::string_view kSchemas = R"(
SELECT n.nspname
FROM pg_catalog.pg_publication p
JOIN pg_catalog.pg_publication_namespace r ON r.pnpubid = p.oid
JOIN pg_catalog.pg_namespace n ON n.oid = r.pnnspid
WHERE p.pubname = $1)";

constexpr absl::string_view kPublishable = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind = 'r' AND c.relhassubclass
FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY w(oid, position)
JOIN pg_catalog.pg_class c ON c.oid = w.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relpersistence = 'p' AND (c.relkind = 'r' OR $2::pg_catalog.int4 >= 130000)
ORDER BY w.position)";

constexpr absl::string_view kPublished = R"(
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.count(*) OVER ()
FROM pg_catalog.pg_publication p
JOIN pg_catalog.pg_publication_tables t ON t.pubname = p.pubname
JOIN pg_catalog.pg_namespace n ON n.nspname = t.schemaname
JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
WHERE p.pubname = $1 AND (p.pubupdate OR p.pubdelete))";

constexpr absl::string_view kToBePublished = R"(
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.count(*) OVER ()
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname <> 'information_schema'
  AND pg_catalog.left(n.nspname::pg_catalog.text, 3) <> 'pg_'
  AND ($1::pg_catalog.oid[] IS NULL OR c.oid = ANY ($1::pg_catalog.oid[])))";

// A deferrable primary key is no replica identity.
constexpr absl::string_view kWithoutIdentity = R"(
  AND (c.relreplident = 'n'
       OR (c.relreplident = 'd' AND NOT EXISTS (
             SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate))
       OR (c.relreplident = 'i' AND NOT EXISTS (
             SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisreplident)))
ORDER BY 1 LIMIT 20)";

// The server sends the old values of the index's columns alone.
constexpr absl::string_view kKeyNotSent = R"(
  AND c.relreplident = 'i' AND EXISTS (
    SELECT 1 FROM pg_catalog.pg_index k JOIN pg_catalog.pg_index i ON i.indrelid = k.indrelid
    WHERE k.indrelid = c.oid AND k.indisprimary AND i.indisreplident
      AND NOT k.indkey::pg_catalog.int2[] OPERATOR(pg_catalog.<@) i.indkey::pg_catalog.int2[])
ORDER BY 1 LIMIT 20)";

// Partitions are left out: whether they or their root are published depends on
// publish_via_partition_root.
constexpr absl::string_view kUnpublished = R"(
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.count(*) OVER ()
FROM pg_catalog.unnest($2::pg_catalog.oid[]) w(oid)
JOIN pg_catalog.pg_class c ON c.oid = w.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND NOT c.relispartition AND NOT EXISTS (
  SELECT 1 FROM pg_catalog.pg_publication_tables t
  WHERE t.pubname = $1 AND t.schemaname = n.nspname AND t.tablename = c.relname)
ORDER BY 1 LIMIT 20)";

absl::Status WarnOfTables(absl::string_view message, absl::string_view hint,
                          absl::StatusOr<Result> result) {
  RETURN_IF_ERROR(result.status());
  if (result->rows() == 0) return absl::OkStatus();
  std::vector<std::string> names;
  for (int row = 0; row < result->rows(); ++row) names.emplace_back(result->Get(row, 0));
  log::Warn(message,
            {{"count", result->Get(0, 1)}, {"tables", absl::StrJoin(names, ", ")}, {"hint", hint}});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<PublicationState>> ReadPublication(postgres::Connection& connection,
                                                                absl::string_view name) {
  const int version = connection.server_version();
  const std::vector<std::optional<std::string>> by_name = {std::string(name)};
  ASSIGN_OR_RETURN(
      const Result result,
      connection.Query(absl::StrCat(kState, version >= 110000 ? ", p.pubtruncate" : ", false",
                                    version >= 130000 ? ", p.pubviaroot" : ", false", kStateFrom),
                       by_name));
  if (result.rows() == 0) return std::nullopt;
  PublicationState state;
  state.name = std::string(name);
  state.all_tables = result.Get(0, 0) == "t";
  constexpr const char* kOperations[] = {"insert", "update", "delete", "truncate"};
  for (int i = 0; i < 4; ++i) {
    if (result.Get(0, 1 + i) == "t") state.operations.emplace_back(kOperations[i]);
  }
  state.via_partition_root = result.Get(0, 5) == "t";
  ASSIGN_OR_RETURN(const Result members, connection.Query(kMembers, by_name));
  for (int row = 0; row < members.rows(); ++row) {
    state.tables.push_back({.relation = ParseOid(members.Get(row, 0)),
                            .schema = std::string(members.Get(row, 1)),
                            .table = std::string(members.Get(row, 2))});
  }
  if (version < 150000) return state;
  ASSIGN_OR_RETURN(const Result schemas, connection.Query(kSchemas, by_name));
  for (int row = 0; row < schemas.rows(); ++row) state.schemas.emplace_back(schemas.Get(row, 0));
  return state;
}

absl::StatusOr<std::vector<PublishedTable>> PublishableTables(
    postgres::Connection& connection, const std::vector<postgres::TableName>& captured) {
  std::vector<Oid> oids;
  for (const postgres::TableName& table : captured) oids.push_back(table.relation);
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(kPublishable, {postgres::OidArray(oids),
                                                   absl::StrCat(connection.server_version())}));
  std::vector<PublishedTable> tables;
  for (int row = 0; row < result.rows(); ++row) {
    tables.push_back({.relation = ParseOid(result.Get(row, 0)),
                      .schema = std::string(result.Get(row, 1)),
                      .table = std::string(result.Get(row, 2)),
                      .has_children = result.Get(row, 3) == "t"});
  }
  return tables;
}

absl::Status WarnBeforePublication(postgres::Connection& connection,
                                   const std::optional<std::vector<PublishedTable>>& tables) {
  std::optional<std::string> oids;
  if (tables) {
    std::vector<Oid> named;
    for (const PublishedTable& table : *tables) named.push_back(table.relation);
    oids = postgres::OidArray(named);
  }
  return WarnOfTables(
      "about to publish tables without replica identity: the server will refuse UPDATE and DELETE "
      "on them",
      "add a primary key, or ALTER TABLE … REPLICA IDENTITY FULL; or publish inserts only with "
      "skipped.operations=u,d,t",
      connection.Query(absl::StrCat(kToBePublished, kWithoutIdentity), {oids}));
}

absl::Status WarnAboutPublication(postgres::Connection& connection, absl::string_view name,
                                  const std::vector<PublishedTable>& captured) {
  RETURN_IF_ERROR(WarnOfTables(
      "the server will refuse UPDATE and DELETE on published tables without replica identity",
      "add a primary key, or ALTER TABLE … REPLICA IDENTITY FULL, or leave the table out of the "
      "publication",
      connection.Query(absl::StrCat(kPublished, kWithoutIdentity), {std::string(name)})));
  RETURN_IF_ERROR(WarnOfTables(
      "the replica identity of published tables is an index without columns of their primary key: "
      "a change of the key goes unnoticed, and deletes come without it",
      "ALTER TABLE … REPLICA IDENTITY DEFAULT, or FULL; or name the index's columns in "
      "message.key.columns",
      connection.Query(absl::StrCat(kPublished, kKeyNotSent), {std::string(name)})));
  std::vector<Oid> oids;
  for (const PublishedTable& table : captured) oids.push_back(table.relation);
  return WarnOfTables(
      "captured tables are not in the publication: their changes will not arrive",
      absl::StrCat("ALTER PUBLICATION ", postgres::QuoteIdentifier(name), " ADD TABLE …"),
      connection.Query(kUnpublished, {std::string(name), postgres::OidArray(oids)}));
}

}  // namespace walduct::replication
