// SlotAttempts: the attempts of a connector that streams a slot: prepare, hand tables over when
// walduct.slots has changed, snapshot, stream. Data thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/errors/warn_once.h"
#include "engine/lifecycle/attempt.h"
#include "outbox/tables.h"
#include "postgres/describe/schema_memory.h"
#include "sink/refusals.h"
#include "slot/in_progress/streaming_pause.h"
#include "slot/incremental/deleted_topics.h"
#include "slot/world/capture/capture_record.h"
#include "slot/world/world.h"

namespace walduct::slot {

class KnownSlot;
class Reading;
class Session;
struct Prepared;

class SlotAttempts final : public engine::Attempts {
 public:
  // world is borrowed: the host of parts.
  // reading: borrowed; null: the stream is all.
  SlotAttempts(World& world, const engine::AttemptParts& parts, Reading* reading = nullptr);

  static constexpr absl::Duration kLongestDispute = absl::Minutes(10);

  void Begin() override { disputed_since_.reset(); }
  engine::AttemptEnd Run(bool ran_before) override;
  engine::Action ActionAfter(const absl::Status& status, engine::Phase phase) const override;
  engine::SoonRetries soon() const override;
  void ShowError(const absl::Status& error) override;
  void OnFailure(const absl::Status& status) override;

 private:
  // What outlives the attempts of a slot.
  struct SlotMemory {
    StreamingPause pause;
    postgres::SchemaMemory schemas;
  };

  engine::AttemptEnd Attempt(bool ran_before);
  absl::Status Patiently(const engine::AttemptEnd& end);
  absl::Status WithReader(const absl::Status& error) const;
  absl::StatusOr<Prepared> Prepare(const engine::ConnectorOptions& config, SlotMemory* memory);
  Session SessionOf(const engine::ConnectorOptions& config, engine::RunGoal goal,
                    SlotMemory* memory, bool ran_before, Prepared prepared,
                    Reading* reading = nullptr);
  engine::AttemptEnd RunSession(Prepared prepared, bool ran_before);
  absl::Status WithDeleted(const absl::Status& error, const std::vector<std::string>& noted,
                           const CapturedTables& captured);
  absl::Status HandOver();
  absl::Status Drain(const engine::ConnectorOptions& lane, Lsn until);
  bool Interrupted();

  World& world_;
  const engine::AttemptParts parts_;
  Reading* const reading_;
  engine::WarnOnce warn_once_;
  outbox::TableMemory outbox_tables_;
  CaptureRecord capture_;
  sink::Refusals refusals_;
  SlotMemory memory_;
  bool streamed_ = false;  // the last attempt came beyond its preparation
  // Of all attempts, over commands and failures, too: a restart loses nothing that is known.
  const std::shared_ptr<KnownSlot> known_;
  std::function<void()> look_;              // at what a start waits for; empty: none is under way
  std::map<int, SlotMemory> drain_memory_;  // of slots that hand tables over
  engine::AttemptEnd drained_;              // what became of those, in this attempt
  // Since when the server has denied what its own slot says; absent: it does not.
  std::optional<absl::Duration> disputed_since_;
  absl::Duration sender_timeout_;  // how long the server may hold a slot for a peer that is gone
};

}  // namespace walduct::slot
