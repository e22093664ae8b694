// Catalog: what only the system catalogs know about tables and types. Implements event::SchemaResolver for the stream and
// builds the TableSchema of snapshot tables. Uses set-based queries by OID, never LIKE patterns; autocommit, so nothing stays
// idle in transaction. Types are cached by OID; an unknown OID or a new Relation refreshes.
//
// Thread-safety: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "config/table_filter.h"
#include "event/table_schema.h"
#include "postgres/connection.h"

namespace walduct::postgres {

struct TableName {
  Oid relation{};
  std::string schema;
  std::string table;
  bool partitioned = false;
};

class Catalog final : public event::SchemaResolver {
 public:
  // connection is borrowed.
  explicit Catalog(Connection& connection) : connection_(connection) {}

  // Stream: see event::SchemaResolver.
  absl::StatusOr<event::TableSchemaPtr> Resolve(const event::RelationDescription& relation) override;

  // Snapshot: all columns of the table as of now, in attnum order. NotFound when it has been dropped.
  absl::StatusOr<event::TableSchemaPtr> Describe(Oid relation);

  // Ordinary and partitioned tables (also partitions) that the filter includes, sorted by "schema.table".
  absl::StatusOr<std::vector<TableName>> CapturedTables(const config::TableFilter& filter);

  absl::StatusOr<std::shared_ptr<const event::Type>> TypeByOid(Oid oid);

 private:
  Connection& connection_;
  absl::flat_hash_map<Oid, std::shared_ptr<const event::Type>> types_;
};

}  // namespace walduct::postgres
