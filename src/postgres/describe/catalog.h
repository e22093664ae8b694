// Catalog: what only the system catalogs know about tables and types, waited for: snapshot tables,
// captured tables. SchemaQuery asks the same for the stream without waiting. Uses set-based queries
// by OID, never LIKE patterns; autocommit, so nothing stays idle in transaction. Built-in types are
// cached by OID; what users can alter (enum labels, domains) is read again for every table.
//
// Thread-safety: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "event/table_schema.h"
#include "postgres/connection.h"
#include "postgres/describe/schema_memory.h"
#include "postgres/describe/type_cache.h"

namespace walduct::names {
class TableFilter;
}  // namespace walduct::names

namespace walduct::postgres {

struct TableName {
  Oid relation{};
  std::string schema;
  std::string table;
  bool partitioned = false;
};

std::vector<Oid> RelationsOf(const std::vector<TableName>& tables);

class Catalog {
 public:
  // Both borrowed; memory learns what is described; null: nobody does.
  explicit Catalog(Connection& connection, SchemaMemory* memory = nullptr)
      : connection_(connection), memory_(memory) {}

  // Snapshot: all columns of the table as of now, in attnum order. NotFound when it has been
  // dropped.
  absl::StatusOr<event::TableSchemaPtr> Describe(Oid relation);

  // Ordinary and partitioned tables (also partitions) that the filter includes, sorted by
  // "schema.table".
  absl::StatusOr<std::vector<TableName>> CapturedTables(const names::TableFilter& filter);

  // The types of users, and money, that columns of these tables have, in two questions however many
  // there are. The memory learns those of users.
  absl::StatusOr<std::vector<Oid>> TypesOfUsers(const std::vector<Oid>& relations);

  // NotFound when the catalog has no such type.
  absl::StatusOr<std::shared_ptr<const event::Type>> TypeByOid(Oid oid);

 private:
  Connection& connection_;
  SchemaMemory* const memory_;
  TypeCache types_;
};

}  // namespace walduct::postgres
