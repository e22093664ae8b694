// TableSchema: one version of one relation. Immutable; shared between the stages. A new Relation
// message or a new snapshot makes a new one; plans compiled from it are keyed by its version, since
// an address can be used again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "event/hypertable.h"
#include "event/type.h"

namespace walduct::event {

enum class ReplicaIdentity : char { kDefault = 'd', kNothing = 'n', kFull = 'f', kIndex = 'i' };

struct Column {
  std::string name;
  std::shared_ptr<const Type> type;  // never null
  int32_t typmod = -1;               // of the column, else of its domain chain; -1 none
  bool optional = true;              // may be NULL (neither the column nor its domain is NOT NULL)
  // pg_get_expr text, of a generated column the expression that generates it; absent: no default
  std::optional<std::string> default_expression;
  bool identity = false;   // GENERATED … AS IDENTITY
  bool generated = false;  // GENERATED ALWAYS AS (…)
  // pg_attribute.attnum, which a renamed column keeps; 0: the catalog has no column of that name
  int16_t attnum = 0;
  // Every old row holds its value: it is part of the replica identity. Rows of partitions that come
  // under their root's name are sent by the identity of each partition: it is part of all of them.
  bool old_value_sent = false;
};

// Tells a TableSchema from every other one of this process, from its copies and from later ones at
// the same address.
class TableVersion {
 public:
  TableVersion() : value_(Next()) {}
  TableVersion(const TableVersion&) : TableVersion() {}
  TableVersion& operator=(const TableVersion&) {
    value_ = Next();
    return *this;
  }
  uint64_t value() const { return value_; }

 private:
  static uint64_t Next() {
    static std::atomic<uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  uint64_t value_;
};

struct TableSchema {
  Oid relation{};
  std::string schema;
  std::string table;
  std::vector<Column> columns;  // in the order of the rows that use this schema
  // primary key, else first usable unique index, in key order; may be empty
  std::vector<uint16_t> key_columns;
  // why rows can share that key: "unique index live (its WHERE leaves rows out)"; mostly empty
  std::string key_risk = {};
  ReplicaIdentity replica_identity = ReplicaIdentity::kDefault;
  HypertablePtr hypertable = {};  // of a chunk
  bool partitioned = false;       // its rows are those of its partitions
  Oid parent{};                   // of a partition: what it is one of; 0: it is none
  TableVersion version{};
};

using TableSchemaPtr = std::shared_ptr<const TableSchema>;

// Whether old rows are whole: REPLICA IDENTITY FULL, of a partitioned table that of all partitions.
inline bool OldRowsAreWhole(const TableSchema& schema) {
  return std::all_of(schema.columns.begin(), schema.columns.end(),
                     [](const Column& column) { return column.old_value_sent; });
}

// A relation as the Relation message of pgoutput describes it.
struct RelationColumn {
  std::string name;
  Oid type{};
  int32_t typmod = -1;
  bool part_of_identity = false;
  // What the stream calls a type that is not built in, a domain by the type under it; else empty.
  std::string type_schema = {};
  std::string type_name = {};
};
struct RelationDescription {
  Oid relation{};
  std::string schema;
  std::string table;
  ReplicaIdentity replica_identity = ReplicaIdentity::kDefault;
  std::vector<RelationColumn> columns;
  // The transaction it was announced in.
  uint32_t transaction = 0;
  int64_t commit_time_us = 0;  // since the Unix epoch
  // As it was before; null: not announced before. What the catalog has forgotten stays known.
  TableSchemaPtr previous = {};
};

// Completes what the stream says about a relation with what only the catalog knows: nullability,
// defaults, primary key, types. The catalog may be newer than the stream: columns it does not know
// any more are as they were in the relation's previous schema, or as whoever resolves remembers
// them; else they have no default and are optional unless they are key columns. Key columns that
// the relation does not have are left out. Never waits: a question is asked, and its answer polled
// for.
//
// Not thread-safe. One question at a time; a new one takes the place of one that is not answered.
class SchemaResolver {
 public:
  virtual ~SchemaResolver() = default;

  virtual absl::Status Ask(const RelationDescription& relation) = 0;
  // The answer, once; null while it is awaited. After an error the question is over.
  virtual absl::StatusOr<TableSchemaPtr> Poll() = 0;

  // What to wait for before the next Poll, while an answer is awaited: readable when there may be
  // more (-1: none), and how long at most.
  virtual int ready_fd() const { return -1; }
  virtual absl::Duration UntilDue() { return absl::ZeroDuration(); }
};

}  // namespace walduct::event
