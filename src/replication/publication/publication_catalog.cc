#include "replication/publication/publication_catalog.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
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

// Before 13 no root is published. The function alone looks at pg_inherits: a lock of it is waited
// for where there is a root.
constexpr absl::string_view kNeedsRoot = R"(CASE WHEN c.relkind = 'p' THEN EXISTS (
  SELECT FROM pg_catalog.pg_partition_tree(c.oid) t
  JOIN pg_catalog.pg_class leaf ON leaf.oid = t.relid
  WHERE leaf.relkind = 'r' AND leaf.oid <> ALL ($1::pg_catalog.oid[])) ELSE false END)";

constexpr absl::string_view kPublishable = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind = 'r' AND c.relhassubclass, {needs_root}
FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY w(oid, position)
JOIN pg_catalog.pg_class c ON c.oid = w.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relpersistence = 'p' AND (c.relkind = 'r' OR $2::pg_catalog.int4 >= 130000)
ORDER BY w.position)";

}  // namespace

absl::StatusOr<std::optional<PublicationState>> ReadPublication(postgres::Connection& connection,
                                                                absl::string_view name) {
  const int version = connection.server_version();
  const std::vector<std::optional<std::string>> by_name = {std::string(name)};
  ASSIGN_OR_RETURN(
      const Result result,
      connection.Query(postgres::Rows(6),
                       absl::StrCat(kState, version >= 110000 ? ", p.pubtruncate" : ", false",
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
  ASSIGN_OR_RETURN(const Result members, connection.Query(postgres::Rows(3), kMembers, by_name));
  for (int row = 0; row < members.rows(); ++row) {
    state.tables.push_back({.relation = ParseOid(members.Get(row, 0)),
                            .schema = std::string(members.Get(row, 1)),
                            .table = std::string(members.Get(row, 2))});
  }
  ASSIGN_OR_RETURN(state.schemas, ReadPublishedSchemas(connection, name));
  return state;
}

absl::StatusOr<std::vector<std::string>> ReadPublishedSchemas(postgres::Connection& connection,
                                                              absl::string_view name) {
  std::vector<std::string> schemas;
  if (connection.server_version() < 150000) return schemas;
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(postgres::Rows(1), kSchemas, {std::string(name)}));
  for (int row = 0; row < result.rows(); ++row) schemas.emplace_back(result.Get(row, 0));
  return schemas;
}

absl::StatusOr<std::vector<PublishedTable>> PublishableTables(
    postgres::Connection& connection, const std::vector<postgres::TableName>& captured) {
  const std::vector<Oid> oids = postgres::RelationsOf(captured);
  const bool by_root = connection.server_version() >= 130000;
  const std::string sql =
      absl::StrReplaceAll(kPublishable, {{"{needs_root}", by_root ? kNeedsRoot : "false"}});
  ASSIGN_OR_RETURN(
      const Result result,
      connection.Query(postgres::Rows(5), sql,
                       {postgres::OidArray(oids), absl::StrCat(connection.server_version())}));
  std::vector<PublishedTable> tables;
  for (int row = 0; row < result.rows(); ++row) {
    tables.push_back({.relation = ParseOid(result.Get(row, 0)),
                      .schema = std::string(result.Get(row, 1)),
                      .table = std::string(result.Get(row, 2)),
                      .has_children = result.Get(row, 3) == "t",
                      .needs_root = result.Get(row, 4) == "t"});
  }
  return tables;
}

}  // namespace walduct::replication
