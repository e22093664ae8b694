#include "replication/capture/capture_sql.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "postgres/connection.h"
#include "replication/capture/capture_judge.h"
#include "replication/capture/capture_map.h"
#include "replication/publication/publication_sql.h"

namespace walduct::replication {
namespace {

std::string Alter(const PublicationFacts& publication) {
  return absl::StrCat("ALTER PUBLICATION ", postgres::QuoteIdentifier(publication.name));
}

std::string Only(const TableFacts& table) {
  return absl::StrCat(table.has_children ? "ONLY " : "", Quoted(table));
}

bool HasList(const PublicationFacts& publication, const TableFacts& table) {
  const auto member = publication.members.find(table.relation);
  return member != publication.members.end() && member->second.has_list;
}

std::string Listed(bool inserts, bool updates, bool deletes, bool truncates) {
  std::vector<std::string> operations;
  if (inserts) operations.emplace_back("insert");
  if (updates) operations.emplace_back("update");
  if (deletes) operations.emplace_back("delete");
  if (truncates) operations.emplace_back("truncate");
  return absl::StrJoin(operations, ", ");
}

}  // namespace

std::string Quoted(const TableFacts& table) {
  return postgres::QuoteQualified(table.schema, table.table);
}

std::string AddSql(const PublicationFacts& publication, const TableFacts& table) {
  return absl::StrCat(Alter(publication), " ADD TABLE ", Only(table));
}

std::string DropSql(const PublicationFacts& publication, const TableFacts& table) {
  return absl::StrCat(Alter(publication), " DROP TABLE ", Only(table));
}

std::string AnewSql(const PublicationFacts& publication, const TableFacts& table) {
  return absl::StrCat("BEGIN; ", DropSql(publication, table), "; ", AddSql(publication, table),
                      "; COMMIT");
}

std::string IdentitySql(const PublicationFacts& publication, const TableFacts& table,
                        const TableFacts& as) {
  const std::string alter = absl::StrCat("ALTER TABLE ", Quoted(table));
  if (table.has_key) return absl::StrCat(alter, " REPLICA IDENTITY DEFAULT");
  const bool is_refused = HasList(publication, as) || table.virtual_ones ||
                          (table.stored_ones && !publication.generated);
  if (is_refused) return absl::StrCat(alter, " ADD PRIMARY KEY (…)");
  return absl::StrCat(alter, " REPLICA IDENTITY FULL");
}

std::string FullSql(const PublicationFacts& publication, const TableFacts& table,
                    const TableFacts& as) {
  if (table.virtual_ones) return "";
  std::string sql;
  if (HasList(publication, as)) absl::StrAppend(&sql, AnewSql(publication, as), "; ");
  if (table.stored_ones && !publication.generated)
    absl::StrAppend(&sql, GeneratedSql(publication), "; ");
  return absl::StrCat(sql, "ALTER TABLE ", Quoted(table), " REPLICA IDENTITY FULL");
}

std::string ViaRootSql(const PublicationFacts& publication, bool via_root) {
  return absl::StrCat(Alter(publication),
                      " SET (publish_via_partition_root = ", via_root ? "true" : "false", ")");
}

std::string GeneratedSql(const PublicationFacts& publication) {
  return absl::StrCat(Alter(publication), " SET (publish_generated_columns = stored)");
}

std::string OperationsSql(const PublicationFacts& publication, const CaptureMemory& memory) {
  return absl::StrCat(
      Alter(publication), " SET (publish = '",
      Listed(memory.inserts || publication.inserts, memory.updates || publication.updates,
             memory.deletes || publication.deletes, memory.truncates || publication.truncates),
      "')");
}

std::string CreateAgain(const PublicationFacts& publication, const CaptureFacts& facts,
                        const CaptureMemory& memory, const std::set<Oid>& wanted) {
  PublicationWish wish{.mode = PublicationAutocreate::kAllTables,
                       .tables = {},
                       .operations = {},
                       .via_partition_root = memory.via_root};
  const bool whole = memory.inserts && memory.updates && memory.deletes && memory.truncates;
  if (memory.begun && !whole) {
    wish.operations = SplitOperations(
        Listed(memory.inserts, memory.updates, memory.deletes, memory.truncates), 180000);
  }
  const CaptureMap map(facts);
  const auto is_wanted = [&](const TableFacts* table) { return wanted.contains(table->relation); };
  const auto add = [&](const TableFacts* table, bool needs_root) {
    if (table == nullptr) return;
    wish.tables.push_back({.relation = table->relation,
                           .schema = table->schema,
                           .table = table->table,
                           .has_children = table->has_children,
                           .needs_root = needs_root});
  };
  for (const auto& [name, known] : memory.tables) add(map.Find(known.relation), false);
  for (const TableFacts& table : facts.tables) {
    const std::vector<const TableFacts*> above = map.Ancestors(table);
    const bool is_first = std::none_of(above.begin(), above.end(), is_wanted);
    if (!memory.tables.empty() || !is_wanted(&table) || !is_first) continue;
    const std::vector<const TableFacts*> leaves = map.Leaves(table);
    add(&table, !std::all_of(leaves.begin(), leaves.end(), is_wanted));
  }
  if (!memory.all_tables && !wish.tables.empty()) wish.mode = PublicationAutocreate::kFiltered;
  return CreatePublicationHint(publication.name, std::move(wish));
}

std::string SignalTableSql(const PublicationFacts& publication, const CaptureWish& wish) {
  const std::vector<std::string> parts = absl::StrSplit(wish.signal_table, absl::MaxSplits('.', 1));
  const std::string name = postgres::QuoteQualified(parts.front(), parts.back());
  std::vector<std::string> statements = {
      absl::StrCat("CREATE TABLE ", name,
                   " (id varchar(64) PRIMARY KEY, type varchar(64), data varchar(4096))")};
  if (!publication.all_tables && !publication.name.empty())
    statements.push_back(absl::StrCat(Alter(publication), " ADD TABLE ", name));
  if (!wish.role.empty()) {
    statements.push_back(absl::StrCat("GRANT INSERT",
                                      wish.deletes_signals ? ", DELETE, SELECT" : "", " ON ", name,
                                      " TO ", postgres::QuoteIdentifier(wish.role)));
  }
  return absl::StrJoin(statements, "; ");
}

}  // namespace walduct::replication
