// Catalog: what only the system catalogs know about tables and types. Implements
// event::SchemaResolver for the stream and builds the TableSchema of snapshot tables. Uses
// set-based queries by OID, never LIKE patterns; autocommit, so nothing stays idle in transaction.
// Built-in types are cached by OID; what users can alter (enum labels, domains) is read again for
// every table.
//
// The key is the primary key; without one the first unique index without expressions, clustered
// first, then by index name, partial and nullable ones included, as Debezium has it. A stream that
// still describes a primary key which the catalog has meanwhile lost keeps it, as far as replica
// identity DEFAULT tells.
//
// Thread-safety: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "event/table_schema.h"
#include "names/table_filter.h"
#include "postgres/connection.h"
#include "postgres/type_cache.h"

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
  explicit Catalog(Connection& connection) : connection_(connection), types_(connection) {}

  // Stream: see event::SchemaResolver.
  absl::StatusOr<event::TableSchemaPtr> Resolve(
      const event::RelationDescription& relation) override;

  // Snapshot: all columns of the table as of now, in attnum order. NotFound when it has been
  // dropped.
  absl::StatusOr<event::TableSchemaPtr> Describe(Oid relation);

  // Ordinary and partitioned tables (also partitions) that the filter includes, sorted by
  // "schema.table".
  absl::StatusOr<std::vector<TableName>> CapturedTables(const names::TableFilter& filter);

  // NotFound when the catalog has no such type.
  absl::StatusOr<std::shared_ptr<const event::Type>> TypeByOid(Oid oid);

 private:
  Connection& connection_;
  TypeCache types_;
};

}  // namespace walduct::postgres
