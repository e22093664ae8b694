#include "replication/slots/slot_publications.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "postgres/server_check.h"
#include "replication/publication.h"
#include "replication/publication_advice.h"
#include "replication/publication_catalog.h"
#include "replication/publication_errors.h"
#include "replication/publication_sql.h"
#include "replication/slots/distribution.h"

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

// As the catalog has them; absent: to be created.
struct Found {
  std::string name;
  std::optional<PublicationState> state;
};

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

absl::Status CheckNamesTables(const PublicationState& state) {
  const std::string name = postgres::QuoteIdentifier(state.name);
  if (state.all_tables) {
    return Error(absl::StatusCode::kFailedPrecondition, "publication_for_all_tables",
                 absl::StrCat("publication ", name,
                              " is FOR ALL TABLES: with walduct.slots above 1 each slot's "
                              "publication names its tables"),
                 "choose another publication.name, or set walduct.slots=1");
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

absl::StatusOr<std::vector<Found>> ReadAll(postgres::Connection& connection,
                                           const SlotShare& share) {
  std::vector<Found> all;
  for (const std::string& given : share.publications) {
    Found found;
    ASSIGN_OR_RETURN(found.name, ResolvePublicationName(connection, given));
    ASSIGN_OR_RETURN(found.state, ReadPublication(connection, found.name));
    if (found.state) RETURN_IF_ERROR(CheckNamesTables(*found.state));
    all.push_back(std::move(found));
  }
  return all;
}

absl::StatusOr<std::vector<int>> DistributeCaptured(
    postgres::Connection& connection, const SlotShare& share, const std::vector<Found>& all,
    const std::vector<postgres::TableName>& captured) {
  NamedIn named;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].state) continue;
    for (const PublishedTable& table : all[i].state->tables)
      named[table.relation].insert(static_cast<int>(i) + 1);
  }
  ASSIGN_OR_RETURN(const std::vector<TableOfSlots> tables, WithParents(connection, captured));
  return Distribute(tables, named, share);
}

// One for each slot.
absl::StatusOr<std::vector<PublicationWish>> MakeWishes(
    postgres::Connection& connection, const SlotShare& share, const PublicationForm& form,
    const std::vector<Found>& all, const std::vector<postgres::TableName>& captured) {
  ASSIGN_OR_RETURN(const std::vector<int> slots,
                   DistributeCaptured(connection, share, all, captured));
  std::map<Oid, size_t> wanted;
  for (size_t i = 0; i < captured.size(); ++i)
    wanted.emplace(captured[i].relation, static_cast<size_t>(slots[i]) - 1);
  PublicationWish wish{.mode = PublicationAutocreate::kFiltered,
                       .tables = {},
                       .operations = {},
                       .via_partition_root = form.via_partition_root};
  if (form.operations)
    wish.operations = SplitOperations(*form.operations, connection.server_version());
  std::vector<PublicationWish> wishes(all.size(), wish);
  ASSIGN_OR_RETURN(const std::vector<PublishedTable> publishable,
                   PublishableTables(connection, captured));
  for (const PublishedTable& table : publishable)
    wishes[wanted.at(table.relation)].tables.push_back(table);
  return wishes;
}

std::vector<std::string> Statements(const std::vector<Found>& all,
                                    const std::vector<PublicationWish>& wishes) {
  std::vector<std::string> statements;
  for (size_t i = 0; i < all.size(); ++i) {
    std::string sql = all[i].state ? AlterPublicationSql(*all[i].state, wishes[i])
                                   : CreatePublicationSql(all[i].name, wishes[i]);
    if (!sql.empty()) statements.push_back(std::move(sql));
  }
  return statements;
}

void LogChanges(const std::vector<Found>& all, const std::vector<PublicationWish>& wishes) {
  for (size_t i = 0; i < all.size(); ++i) {
    const bool created = !all[i].state;
    if (!created && AlterPublicationSql(*all[i].state, wishes[i]).empty()) continue;
    log::Info(created ? "publication created" : "publication altered",
              {{"publication", all[i].name}, {"tables", wishes[i].tables.size()}});
  }
}

absl::Status CheckVersion(const postgres::Connection& connection) {
  if (connection.server_version() >= kFirstWithPartitionRoots) return absl::OkStatus();
  return Error(absl::StatusCode::kUnimplemented, "slots_unsupported",
               "walduct.slots above 1 needs PostgreSQL 13 or newer", "set walduct.slots=1");
}

// One attempt. One simple query is one transaction: all of it or nothing.
absl::Status Ensure(postgres::Connection& connection, const SlotShare& share,
                    const PublicationForm& form, const std::vector<postgres::TableName>& captured,
                    bool in_recovery) {
  ASSIGN_OR_RETURN(const std::vector<Found> all, ReadAll(connection, share));
  ASSIGN_OR_RETURN(const std::vector<PublicationWish> wishes,
                   MakeWishes(connection, share, form, all, captured));
  const std::string sql = absl::StrJoin(Statements(all, wishes), "; ");
  const size_t own = static_cast<size_t>(share.number) - 1;
  if (!sql.empty()) {
    if (in_recovery) {
      return Error(
          absl::StatusCode::kFailedPrecondition, "publication_outdated",
          "the publications of the connector's slots do not match the configuration, and a "
          "standby cannot alter them",
          absl::StrCat("on the primary: ", sql));
    }
    if (!all[own].state) AdviseBeforePublication(connection, wishes[own].tables);
    const absl::Status status = connection.Run(absl::StrCat(kLockTimeout, sql));
    if (LostRace(status) || ErrorReason(status) == "publication_missing") return status;
    if (!status.ok()) return ExplainPublicationError(status, all[own].name, sql);
    LogChanges(all, wishes);
  }
  AdviseOnPublication(connection, all[own].name, wishes[own].tables);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<int>> SlotsOfTables(postgres::Connection& connection,
                                               const SlotShare& share,
                                               const std::vector<postgres::TableName>& captured) {
  RETURN_IF_ERROR(CheckVersion(connection));
  ASSIGN_OR_RETURN(const std::vector<Found> all, ReadAll(connection, share));
  return DistributeCaptured(connection, share, all, captured);
}

absl::Status EnsureSlotPublications(postgres::Connection& connection, const SlotShare& share,
                                    const PublicationForm& form,
                                    const std::vector<postgres::TableName>& captured) {
  RETURN_IF_ERROR(CheckVersion(connection));
  ASSIGN_OR_RETURN(const bool in_recovery, postgres::IsInRecovery(connection));
  absl::Status status;
  for (int attempt = 0; attempt < kPublicationAttempts; ++attempt) {
    status = Ensure(connection, share, form, captured, in_recovery);
    if (!LostRace(status) && ErrorReason(status) != "publication_missing") break;
  }
  return status;
}

}  // namespace walduct::replication
