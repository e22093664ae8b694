// SettledCatalog: reads the catalog for a relation of the stream, but not sooner than a moment
// after the change that announced it. A migration comes as a burst of statements; read at once, the
// catalog would show whichever of them had been run by then, and each reader would describe the
// first rows differently. Debezium, which polls, comes later than that.
//
// Costs nothing when the stream lags, for the moment counts from the commit, nor when a relation is
// announced as it was before, as happens after VACUUM. Data thread only; waits at most the delay,
// or until the session is interrupted.
#pragma once

#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "engine/control/control.h"
#include "event/table_schema.h"

namespace walduct::engine {

class SettledCatalog final : public event::SchemaResolver {
 public:
  // All borrowed.
  struct Parts {
    event::SchemaResolver* catalog = nullptr;
    Clock* clock = nullptr;
    Poller* poller = nullptr;
    Control* control = nullptr;
    absl::Duration delay;  // walduct.catalog.delay.ms
  };
  explicit SettledCatalog(Parts parts) : parts_(parts) {}

  absl::StatusOr<event::TableSchemaPtr> Resolve(
      const event::RelationDescription& relation) override;

 private:
  bool IsNews(const event::RelationDescription& relation);
  void Settle(int64_t commit_time_us);

  Parts parts_;
  // Hash of what was announced last, by relation.
  absl::flat_hash_map<Oid, size_t> announced_;
};

}  // namespace walduct::engine
