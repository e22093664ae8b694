// DelayedSchemaResolver: asks the catalog about a relation of the stream, but not sooner than a
// moment after the change that announced it. A migration comes as a burst of statements; read at
// once, the catalog would show whichever of them had been run by then, and each reader would
// describe the first rows differently. Debezium, which polls, comes later than that.
//
// The moment counts from the commit: it costs nothing when the stream lags, nor when a relation is
// announced as it was before, as happens after VACUUM. Tables that are not captured are not asked
// about: what the stream says of them is enough to leave their rows out. What has changed of a
// table is said in the log. Data thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "engine/errors/warn_once.h"
#include "event/table_schema.h"
#include "names/table_filter.h"
#include "postgres/describe/schema_memory.h"
#include "route/message_keys.h"

namespace walduct::slot {

class DelayedSchemaResolver final : public event::SchemaResolver {
 public:
  // All borrowed.
  struct Parts {
    event::SchemaResolver* catalog = nullptr;
    const names::TableFilter* captured = nullptr;
    Clock* clock = nullptr;
    absl::Duration delay;  // walduct.catalog.delay.ms
    // For what is told of keys that rows can share; null: nothing.
    const std::optional<route::MessageKeys>* message_keys = nullptr;
    engine::WarnOnce* warn_once = nullptr;
    // The stream has come to a captured table for the first time. renamed: it had come to it under
    // a name that is not captured.
    std::function<void(const event::TableSchema&, bool renamed)> on_first = nullptr;
    // It comes to one that had a captured name, under one that is not captured.
    std::function<void(const event::TableSchema& was)> on_away = nullptr;
    postgres::SchemaMemory* memory = nullptr;  // null: nothing is remembered
  };
  explicit DelayedSchemaResolver(Parts parts) : parts_(std::move(parts)) {}

  absl::Status Ask(const event::RelationDescription& relation) override;
  absl::StatusOr<event::TableSchemaPtr> Poll() override;
  int ready_fd() const override { return waiting_ ? -1 : parts_.catalog->ready_fd(); }
  absl::Duration UntilDue() override;
  // The relation was dropped.
  void Forget(Oid relation) {
    announced_.erase(relation);
    if (parts_.memory != nullptr) parts_.memory->Forget(relation);
  }

 private:
  bool IsNews(const event::RelationDescription& relation);
  absl::Duration DelayOf(int64_t commit_time_us) const;
  void Tell(const event::TableSchema& answer);

  Parts parts_;
  // Hash of what was announced last, by relation.
  absl::flat_hash_map<Oid, size_t> announced_;
  event::TableSchemaPtr uncaptured_;                   // the answer, when the catalog is not asked
  std::optional<event::RelationDescription> waiting_;  // to be asked about at due_
  event::TableSchemaPtr previous_;  // of the relation in question; null: not announced before
  absl::Duration due_;
};

}  // namespace walduct::slot
