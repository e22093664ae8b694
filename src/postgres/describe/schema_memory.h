// SchemaMemory: what the catalog has said of types that users make, and of the columns of tables.
// A row may be read long after it was written: by then a migration may have dropped a type or a
// column, and only who has seen it before knows what the row's text means. So this outlives the
// attempts of a connector, and its types go with the stored position over restarts
// (slot/phases/remembered_types.h).
//
// It is asked only where the catalog has no answer: what the catalog knows counts. Rows written
// after a migration have another OID of their type, and are not touched by what is remembered.
//
// Thread-safety: all methods from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "base/mutex.h"
#include "event/table_schema.h"
#include "event/type.h"

namespace walduct::postgres {

// A column as it was with that type.
struct RememberedColumn {
  std::string name;
  Oid type{};
  bool optional = true;
  bool identity = false;
  bool generated = false;
  std::optional<std::string> default_expression;
};

struct RememberedTable {
  std::vector<std::string> key;  // names, in key order; of the newest description
  std::vector<RememberedColumn> columns;
  Lsn gone;  // it was not captured any more when the WAL had come so far; 0/0: it is
};

struct RememberedType {
  std::shared_ptr<const event::Type> type;
  Lsn gone;  // no captured table had it any more when the WAL had come so far; 0/0: one has
};

// OIDs below are given out by initdb only (access/transam.h, FirstNormalObjectId).
inline constexpr uint32_t kFirstUserOid = 16384;

class SchemaMemory {
 public:
  // A table as the catalog describes it, or as the stream does with what the catalog knows.
  void Learn(const event::TableSchema& table);
  void LearnTypes(const std::vector<std::shared_ptr<const event::Type>>& types);

  // A type that the catalog has not. Null: it was never seen, or what the stream calls it says
  // that it is another one. An enum that has got another name goes by the stream's.
  std::shared_ptr<const event::Type> TypeOf(const event::RelationColumn& column) const;
  std::optional<RememberedTable> TableOf(Oid relation) const;

  // No row of the relation comes any more, except after a reconnect: it is forgotten in a while.
  void Forget(Oid relation);
  // What captured tables have now, as of that end of the WAL. What nothing has any more is
  // forgotten once a stream begins behind the point where that was seen.
  void Sweep(const std::vector<Oid>& types, const std::vector<Oid>& relations, Lsn wal_end,
             Lsn start);

  // Of types of users alone, by descending OID; tables with their columns of such types.
  std::vector<RememberedType> Types() const;
  std::vector<std::pair<Oid, RememberedTable>> Tables() const;
  // What an earlier process knew; what is known already counts.
  void Restore(const std::vector<RememberedType>& types,
               const std::vector<std::pair<Oid, RememberedTable>>& tables);
  // Grows when Types() or Tables() have other answers.
  uint64_t changes() const;

 private:
  static constexpr size_t kMaxTypes = 20000;
  static constexpr size_t kMaxTables = 200000;
  static constexpr size_t kMaxForgotten = 4096;
  static constexpr size_t kMaxFormer = 64;  // columns that a table had

  // Compact: thousands of tables are known, and most are never asked for.
  struct Table {
    std::string text;
    Lsn gone;
    bool of_users = false;  // a column has a type of users
  };

  void LearnType(const std::shared_ptr<const event::Type>& type)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LearnTable(Oid relation, RememberedTable table) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  absl::flat_hash_map<Oid, RememberedType> types_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<Oid, Table> tables_ ABSL_GUARDED_BY(mutex_);
  std::deque<Oid> forgotten_ ABSL_GUARDED_BY(mutex_);
  uint64_t changes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace walduct::postgres
