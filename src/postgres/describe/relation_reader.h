// What the catalog says now about one relation: its columns and its key. Used by Catalog and
// SchemaQuery only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "event/table_schema.h"
#include "postgres/connection.h"

namespace walduct::postgres {

struct CatalogColumn {
  std::string name;
  Oid type{};
  int32_t typmod = -1;
  bool not_null = false;
  bool identity = false;
  bool generated = false;
  int16_t attnum = 0;
  bool old_value_sent = false;                    // as event::Column has it
  std::optional<std::string> default_expression;  // of a generated column: what generates it
};

struct CatalogRelation {
  std::string schema;
  std::string table;
  event::ReplicaIdentity replica_identity = event::ReplicaIdentity::kDefault;
  std::vector<CatalogColumn> columns;  // in attnum order, without dropped ones
  std::vector<std::string> key;        // column names in index order; empty: no key
  bool primary_key = false;            // key is the primary key
  std::string key_risk;                // why rows can share the key (key_risk.h); mostly empty
  bool has_chunks = false;             // TimescaleDB's catalog is there
  event::HypertablePtr hypertable;     // of a chunk of TimescaleDB's
  bool partitioned = false;
  Oid parent{};         // as event::TableSchema has it
  bool settled = true;  // the transaction that was asked about is visible
};

// The statements behind it, and what their results say. The first one's result is absent when
// the relation does not exist (any more); then there is no need for the second. transaction: whose
// changes are wanted; 0: none. A server sends a transaction when its commit is in the WAL, which is
// before other sessions see it: a moment, or as long as a synchronous standby takes.
Statement ColumnsStatement(int server_version, Oid relation, uint32_t transaction);
std::optional<CatalogRelation> ReadColumns(const Result& result);
Statement KeyStatement(int server_version, Oid relation);
void ReadKey(const Result& result, CatalogRelation* relation);
// Where partitioned: which columns the replica identities of all partitions have.
Statement PartitionsStatement(int server_version, Oid relation);
void ReadPartitions(const Result& result, CatalogRelation* relation);
// Where has_chunks: of which hypertable the relation is a chunk.
Statement HypertableStatement(Oid relation);
void ReadHypertable(const Result& result, CatalogRelation* relation);

// All of them, waited for.
absl::StatusOr<std::optional<CatalogRelation>> ReadRelation(Connection& connection, Oid relation);

}  // namespace walduct::postgres
