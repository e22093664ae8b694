// SchemaQuery: asks the catalog about a relation of the stream without waiting for its answer. The
// stream's description is older than the catalog: see event::SchemaResolver for what is made of
// both.
//
// The queries want a share lock of the table; a session that holds it exclusively (a migration,
// VACUUM FULL) makes them fail after kLockTimeout, and they are asked again until it lets go. The
// first refusal, and one every minute, says in the log which table is waited for.
//
// A transaction comes before other sessions see it (postgres/relation_reader.h): what it changed is
// waited for, kSettleTimeout at most, because who commits may be waiting for us.
//
// The session keeps its own lock_timeout. Not thread-safe. Errors: as Connection.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "event/table_schema.h"
#include "postgres/connection.h"
#include "postgres/describe/relation_reader.h"
#include "postgres/describe/schema_memory.h"
#include "postgres/describe/type_cache.h"

namespace walduct::postgres {

class SchemaQuery final : public event::SchemaResolver {
 public:
  static constexpr absl::Duration kLockTimeout = absl::Seconds(1);
  static constexpr absl::Duration kSettleTimeout = absl::Seconds(3);

  // All borrowed; memory: null: nothing is remembered. Whoever else uses the connection cancels a
  // question that is under way; the next Poll asks it again.
  SchemaQuery(Connection& connection, Clock& clock, SchemaMemory* memory = nullptr)
      : connection_(connection), clock_(clock), memory_(memory) {}

  absl::Status Ask(const event::RelationDescription& relation) override;
  absl::StatusOr<event::TableSchemaPtr> Poll() override;
  int ready_fd() const override;
  absl::Duration UntilDue() override;

 private:
  enum class Step { kColumns, kKey, kPartitions, kHypertable, kTypes, kDone, kPause };

  absl::Status Begin(Step step);
  absl::Status Take(const Result& result);
  absl::Status Pause(absl::Duration time);
  absl::Status TakeColumns(const Result& result);
  absl::Status AfterPartitions();
  absl::Status AfterRelation();
  absl::Status OnError(const absl::Status& error);
  std::string Table() const { return relation_.schema + "." + relation_.table; }

  Connection& connection_;
  Clock& clock_;
  SchemaMemory* const memory_;
  TypeCache types_;

  // Of the question under way.
  event::RelationDescription relation_;
  Step step_ = Step::kDone;
  std::optional<CatalogRelation> known_;
  absl::Duration asked_at_;
  absl::Duration retry_at_;
  std::optional<absl::Duration> refused_;  // when the lock was refused first
  absl::Duration log_at_;                  // when that is to be said again
};

}  // namespace walduct::postgres
