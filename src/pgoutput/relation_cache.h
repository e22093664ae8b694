// RelationCache: what the Relation messages of one replication session said, by relation OID. The server announces every
// relation before the first row that needs it, and anew when its description may have changed; a new session starts empty.
//
// Not thread-safe. Its size is bounded by the relations that the server publishes.
//
// Lifetimes: a CachedRelation until the next Apply. The TableSchema it points to for longer: the last kKeptSchemas replaced
// ones stay alive, so that neither an event under way nor a plan keyed by a schema's address meets another schema there.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "event/table_schema.h"
#include "pgoutput/messages.h"

namespace walduct::pgoutput {

struct CachedRelation {
  event::TableSchemaPtr schema;  // never null; as many columns as the relation's tuples
  // Columns that are not part of the replica identity: a key tuple carries a null for each that says nothing.
  std::vector<uint16_t> outside_identity;
};

class RelationCache {
 public:
  static constexpr size_t kKeptSchemas = 4096;

  // resolver is borrowed.
  explicit RelationCache(event::SchemaResolver& resolver) : resolver_(resolver) {}
  RelationCache(const RelationCache&) = delete;
  RelationCache& operator=(const RelationCache&) = delete;

  // Resolves the relation and replaces what was known of it; keeps the old schema when the new one says the same.
  //   Internal   reason "schema_mismatch": the resolver's schema has other columns than the relation
  //   others     from the resolver
  absl::Status Apply(const RelationMessage& message);

  // Null when no Relation message has told of it.
  const CachedRelation* Find(Oid relation) {
    if (last_ != nullptr && last_oid_ == relation) return last_;
    return Lookup(relation);
  }

 private:
  const CachedRelation* Lookup(Oid relation);
  void Replace(CachedRelation& known, event::TableSchemaPtr schema);

  event::SchemaResolver& resolver_;
  absl::flat_hash_map<Oid, std::unique_ptr<CachedRelation>> relations_;
  std::deque<event::TableSchemaPtr> replaced_;
  // Rows come in runs of one relation.
  const CachedRelation* last_ = nullptr;
  Oid last_oid_{};
};

}  // namespace walduct::pgoutput
