#include "replication/publication/publication_sql.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "postgres/connection.h"

namespace walduct::replication {
namespace {

constexpr size_t kMaxTablesInHint = 200;

using postgres::QuoteIdentifier;
using postgres::QuoteLiteral;

std::string TableList(const std::vector<PublishedTable>& tables) {
  return absl::StrJoin(tables, ", ", [](std::string* out, const PublishedTable& table) {
    absl::StrAppend(out, table.has_children ? "ONLY " : "",
                    postgres::QuoteQualified(table.schema, table.table));
  });
}

std::string Publish(const std::vector<std::string>& operations) {
  return absl::StrCat("publish = ", QuoteLiteral(absl::StrJoin(operations, ", ")));
}

std::vector<PublishedTable> Without(const std::vector<PublishedTable>& tables,
                                    const std::vector<PublishedTable>& others,
                                    const std::vector<std::string>& schemas) {
  std::set<Oid> present;
  for (const PublishedTable& other : others) present.insert(other.relation);
  std::vector<PublishedTable> rest;
  for (const PublishedTable& table : tables) {
    const bool covered = std::find(schemas.begin(), schemas.end(), table.schema) != schemas.end();
    if (!present.contains(table.relation) && !covered) rest.push_back(table);
  }
  return rest;
}

bool SameOperations(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

}  // namespace

std::vector<std::string> SplitOperations(absl::string_view list, int server_version) {
  std::vector<std::string> operations;
  for (const absl::string_view part : absl::StrSplit(list, ',')) {
    const absl::string_view operation = absl::StripAsciiWhitespace(part);
    if (operation.empty() || (operation == "truncate" && server_version < 110000)) continue;
    operations.emplace_back(operation);
  }
  return operations;
}

std::string CreatePublicationSql(absl::string_view name, const PublicationWish& wish) {
  std::string sql = absl::StrCat("CREATE PUBLICATION ", QuoteIdentifier(name));
  if (wish.mode == PublicationAutocreate::kAllTables) sql += " FOR ALL TABLES";
  // Disabled: the statement that an operator is asked to run.
  const bool by_table = wish.mode == PublicationAutocreate::kFiltered ||
                        wish.mode == PublicationAutocreate::kDisabled;
  if (by_table && !wish.tables.empty())
    absl::StrAppend(&sql, " FOR TABLE ", TableList(wish.tables));
  std::vector<std::string> options;
  if (wish.via_partition_root) options.push_back("publish_via_partition_root = true");
  if (wish.operations) options.push_back(Publish(*wish.operations));
  if (!options.empty()) absl::StrAppend(&sql, " WITH (", absl::StrJoin(options, ", "), ")");
  return sql;
}

std::string CreatePublicationHint(absl::string_view name, PublicationWish wish) {
  wish.via_partition_root =
      wish.via_partition_root ||
      std::any_of(wish.tables.begin(), wish.tables.end(),
                  [](const PublishedTable& table) { return table.needs_root; });
  if (wish.tables.size() > kMaxTablesInHint) wish.tables.resize(kMaxTablesInHint);
  return CreatePublicationSql(name, wish);
}

std::vector<PublishedTable> AddedTables(const PublicationState& state,
                                        const PublicationWish& wish) {
  if (wish.mode != PublicationAutocreate::kFiltered) return {};
  return Without(wish.tables, state.tables, state.schemas);
}

std::string AlterPublicationSql(const PublicationState& state, const PublicationWish& wish) {
  if (wish.mode == PublicationAutocreate::kDisabled) return "";
  const std::string alter = absl::StrCat("ALTER PUBLICATION ", QuoteIdentifier(state.name));
  std::vector<std::string> statements;
  std::vector<std::string> options;
  if (wish.mode == PublicationAutocreate::kFiltered) {
    // Not SET TABLE: it would drop row filters, column lists and schemas, and lock every table.
    const auto added = AddedTables(state, wish);
    const auto dropped = Without(state.tables, wish.tables, {});
    if (!added.empty()) statements.push_back(absl::StrCat(alter, " ADD TABLE ", TableList(added)));
    if (!dropped.empty())
      statements.push_back(absl::StrCat(alter, " DROP TABLE ", TableList(dropped)));
    if (wish.operations && !SameOperations(*wish.operations, state.operations)) {
      options.push_back(Publish(*wish.operations));
    }
  }
  if (wish.via_partition_root && !state.via_partition_root)
    options.push_back("publish_via_partition_root = true");
  // SET TABLE … WITH (…) is a syntax error: options have a statement of their own.
  if (!options.empty())
    statements.push_back(absl::StrCat(alter, " SET (", absl::StrJoin(options, ", "), ")"));
  return absl::StrJoin(statements, "; ");
}

}  // namespace walduct::replication
