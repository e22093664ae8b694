#include "replication/slots/slot_catalog.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "replication/publication/publication.h"
#include "replication/publication/publication_catalog.h"
#include "replication/publication_name.h"

namespace walduct::replication {
namespace {

constexpr int kFirstWithPartitionRoots = 130000;

// Each table's parents as a partition, nearest first.
constexpr absl::string_view kParents = R"(
WITH RECURSIVE up(oid, parent, depth) AS (
  SELECT w.oid, i.inhparent, 1
  FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
  JOIN pg_catalog.pg_class c ON c.oid = w.oid AND c.relispartition
  JOIN pg_catalog.pg_inherits i ON i.inhrelid = w.oid
  UNION ALL
  SELECT up.oid, i.inhparent, up.depth + 1
  FROM up JOIN pg_catalog.pg_class c ON c.oid = up.parent AND c.relispartition
  JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.parent)
SELECT up.oid, up.parent, n.nspname, c.relname
FROM up JOIN pg_catalog.pg_class c ON c.oid = up.parent
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
ORDER BY up.oid, up.depth)";

absl::Status CheckNamesTables(const PublicationState& state) {
  const std::string name = postgres::QuoteIdentifier(state.name);
  if (state.all_tables) {
    return Error(
        absl::StatusCode::kFailedPrecondition, "publication_for_all_tables",
        absl::StrCat("publication ", name,
                     " is FOR ALL TABLES: with walduct.slots above 1 each slot's "
                     "publication names its tables"),
        "choose another publication.name, or set walduct.slots=1; docs/slots.md says how it "
        "becomes one of tables");
  }
  if (state.schemas.empty()) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "publication_for_schemas",
               absl::StrCat("publication ", name, " is for whole schemas (",
                            absl::StrJoin(state.schemas, ", "),
                            "): with walduct.slots above 1 each slot's publication names its "
                            "tables"),
               absl::StrCat("ALTER PUBLICATION ", name, " DROP TABLES IN SCHEMA ",
                            absl::StrJoin(state.schemas, ", "), ", or set walduct.slots=1"));
}

}  // namespace

absl::Status CheckServerKnowsSlots(const postgres::Connection& connection) {
  if (connection.server_version() >= kFirstWithPartitionRoots) return absl::OkStatus();
  return Error(absl::StatusCode::kUnimplemented, "slots_unsupported",
               "walduct.slots above 1 needs PostgreSQL 13 or newer", "set walduct.slots=1");
}

absl::StatusOr<std::vector<TableOfSlots>> WithParents(
    postgres::Connection& connection, const std::vector<postgres::TableName>& captured) {
  std::vector<TableOfSlots> tables;
  std::vector<Oid> oids;
  std::map<Oid, size_t> places;
  for (const postgres::TableName& table : captured) {
    places.emplace(table.relation, tables.size());
    oids.push_back(table.relation);
    std::string name = absl::StrCat(table.schema, ".", table.table);
    tables.push_back({.relation = table.relation, .name = name, .parents = {}, .root_name = name});
  }
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(4), kParents, {postgres::OidArray(oids)}));
  for (int row = 0; row < result.rows(); ++row) {
    TableOfSlots& table = tables[places.at(postgres::ParseOid(result.Get(row, 0)))];
    table.parents.push_back(postgres::ParseOid(result.Get(row, 1)));
    table.root_name = absl::StrCat(result.Get(row, 2), ".", result.Get(row, 3));
  }
  return tables;
}

absl::StatusOr<std::vector<SlotPublication>> ReadSlotPublications(postgres::Connection& connection,
                                                                  const SlotShare& share) {
  std::vector<SlotPublication> all;
  for (const std::string& given : share.publications) {
    SlotPublication found;
    ASSIGN_OR_RETURN(found.name, ResolvePublicationName(connection, given));
    ASSIGN_OR_RETURN(found.state, ReadPublication(connection, found.name));
    if (found.state) RETURN_IF_ERROR(CheckNamesTables(*found.state));
    all.push_back(std::move(found));
  }
  return all;
}

NamedIn NamesOf(const std::vector<SlotPublication>& all) {
  NamedIn named;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].state) continue;
    for (const PublishedTable& table : all[i].state->tables)
      named[table.relation].insert(static_cast<int>(i) + 1);
  }
  return named;
}

}  // namespace walduct::replication
