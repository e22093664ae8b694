// RelationCache: what the Relation messages of one replication session said, by relation OID. The
// server announces every relation before the first row that needs it, and anew when its description
// may have changed; a new session starts empty.
//
// Not thread-safe. The server says nothing of a relation that is dropped: whoever knows of it and
// that no row of it will come calls Forget (slot/phases/dropped_relations.h).
//
// Lifetimes: a CachedRelation until the next Apply. The TableSchema it points to for longer: the
// last kKeptSchemas replaced ones stay alive, so that neither an event under way nor a plan keyed
// by a schema's address meets another schema there.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "event/change_handler.h"
#include "event/row.h"
#include "event/table_schema.h"
#include "pgoutput/enum_label_watch.h"
#include "pgoutput/messages.h"

namespace walduct::pgoutput {

// A label that rows have had since the relation was announced and the catalog has not any more: it
// was renamed. Schemas of the relation have it all the same.
struct LostLabel {
  size_t column = 0;
  std::string label;
};

struct CachedRelation {
  event::TableSchemaPtr schema;  // never null; as many columns as the relation's tuples
  // Columns that are not part of the replica identity, as the Relation message has it.
  std::vector<uint16_t> outside_identity;
  // Rows are those of partitions, each with an identity of its own: under
  // publish_via_partition_root the message's is the root's. Every partition's is FULL: old rows are
  // whole, whatever they are sent as.
  bool partitioned = false;
  bool whole_partitions = false;
  // Only for tables with enum columns: what to ask the resolver again when a new label turns up.
  EnumLabelWatch labels;
  std::vector<LostLabel> lost_labels;
  event::RelationDescription description;
  uint32_t transaction = 0;  // that it was announced in last
  uint64_t announced = 0;    // number of that Relation message
};

// One of them, as it was known when it was listed.
struct KnownRelation {
  Oid relation{};
  uint32_t transaction = 0;
  uint64_t announced = 0;
};

class RelationCache {
 public:
  static constexpr size_t kKeptSchemas = 4096;
  static constexpr size_t kMaxTypes = 10000;

  // resolver is borrowed.
  // watch_labels: see HasNewLabel.
  RelationCache(event::SchemaResolver& resolver, bool watch_labels)
      : resolver_(resolver), watch_labels_(watch_labels) {}
  RelationCache(const RelationCache&) = delete;
  RelationCache& operator=(const RelationCache&) = delete;

  // Resolves the relation and replaces what was known of it; keeps the old schema when the new one
  // says the same. transaction: that the message is part of. False: the resolver has no answer yet
  // and nothing has changed; call again with the same message.
  //   Internal   reason "schema_mismatch": the resolver's schema has other columns than the
  //              relation
  //   others     from the resolver
  absl::StatusOr<bool> Apply(const RelationMessage& message,
                             const event::TransactionInfo& transaction);

  // A Type message: Relation messages to come may have columns of that type.
  void Announce(const TypeMessage& message);

  // With watch_labels: whether the row, one of the relation's, has an enum label that its schema
  // lacks. The relation is then to be resolved anew before the row is used.
  static bool HasNewLabel(const CachedRelation& relation, event::RowView row) {
    return relation.labels.watching() && !relation.labels.Knows(row);
  }
  // The row's labels are known from then on, also those that the catalog has not any more. False:
  // no answer yet; call again with the same row. Errors come from the resolver.
  absl::StatusOr<bool> ResolveAnew(CachedRelation& relation, event::RowView row);

  size_t size() const { return relations_.size(); }
  // As the last Relation message had it; null: there was none.
  const event::TableSchema* SchemaOf(Oid relation) const {
    const auto found = relations_.find(relation);
    return found == relations_.end() ? nullptr : found->second->schema.get();
  }
  std::vector<KnownRelation> List() const;
  // Without effect when it has been announced again since it was listed. Not while an event is
  // under way.
  void Forget(const KnownRelation& known);

  // Null when no Relation message has told of it.
  CachedRelation* Find(Oid relation) {
    if (last_ != nullptr && last_oid_ == relation) return last_;
    return Lookup(relation);
  }

 private:
  CachedRelation* Lookup(Oid relation);
  absl::StatusOr<event::TableSchemaPtr> Resolve();
  event::RelationDescription Describe(const RelationMessage& message) const;
  void Replace(CachedRelation& known, event::TableSchemaPtr schema);

  event::SchemaResolver& resolver_;
  const bool watch_labels_;
  std::optional<event::RelationDescription> asked_;  // the question under way
  struct AnnouncedType {
    std::string schema;
    std::string name;
  };
  // The server names the types of a relation right before each of its Relation messages.
  absl::flat_hash_map<Oid, AnnouncedType> types_;
  absl::flat_hash_map<Oid, std::unique_ptr<CachedRelation>> relations_;
  uint64_t announced_ = 0;  // Relation messages so far
  std::deque<event::TableSchemaPtr> replaced_;
  // Rows come in runs of one relation.
  CachedRelation* last_ = nullptr;
  Oid last_oid_{};
};

}  // namespace walduct::pgoutput
