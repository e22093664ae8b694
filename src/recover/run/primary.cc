#include "recover/run/primary.h"

#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/control/control.h"
#include "engine/errors/warn_once.h"
#include "metrics/connector_metrics.h"
#include "offset/offset_store.h"
#include "outbox/tables.h"
#include "postgres/server_check.h"
#include "recover/run/position_check.h"
#include "recover/wal_name.h"
#include "replication/slot.h"
#include "replication/slot_lock.h"
#include "sink/refusals.h"
#include "slot/start/preparation.h"
#include "slot/world/capture/capture_record.h"
#include "slot/world/server_world.h"

namespace walduct::recover {
namespace {

absl::StatusOr<uint64_t> ReadSegmentBytes(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::OneRow(1),
                                    "SELECT setting FROM pg_catalog.pg_settings WHERE name = "
                                    "'wal_segment_size'"));
  uint64_t bytes = 0;
  if (!absl::SimpleAtoi(result.Get(0, 0), &bytes) || !IsSegmentSize(bytes))
    return absl::InternalError("wal_segment_size is not known");
  return bytes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<postgres::Connection>> Primary::Open(postgres::SessionKind kind) {
  return parts_.world->OpenSession(*parts_.connector, kind, " recover", parts_.stopping);
}

void Primary::Release() {
  lock_.reset();
  sql_.reset();
}

bool Primary::KeepsSlot() {
  const auto session = Open(postgres::SessionKind::kSql);
  if (!session.ok()) return true;
  const auto slot = replication::InspectSlot(**session, parts_.slot);
  if (!slot.ok()) return true;
  return *slot &&
         ErrorReason(replication::CheckSlotUsable(**session, parts_.slot, **slot)) != "slot_lost";
}

// As long as another instance may be at work, what it has committed will do.
absl::StatusOr<offset::StoredOffset> Primary::Peek() {
  parts_.attempt->board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(const auto store, parts_.world->OpenOffsetStore(*parts_.connector));
  ASSIGN_OR_RETURN(std::optional<offset::StoredOffset> stored, store->Peek());
  return Streaming(std::move(stored));
}

absl::StatusOr<offset::StoredOffset> Primary::Load() {
  parts_.attempt->board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(std::optional<offset::StoredOffset> stored,
                   parts_.world->LoadOwnPosition(*parts_.connector));
  return Streaming(std::move(stored));
}

absl::StatusOr<offset::StoredOffset> Primary::Streaming(
    std::optional<offset::StoredOffset> stored) const {
  parts_.attempt->board->WaitsFor(engine::WaitReason::kDatabase);
  if (stored && slot::StateOf(stored) == snapshot::OffsetState::kStreaming)
    return *std::move(stored);
  return Error(absl::StatusCode::kFailedPrecondition, "recover_no_position",
               stored ? "the initial snapshot was cut short: there is no position to go on from"
                      : "no position is stored: there is no gap to be read",
               "start walduct run, which takes a snapshot; see -f, -w and the offset store if the "
               "connector has run before");
}

// The position, the lock of the slot, and the slot; a slot that is not there is made first.
absl::StatusOr<Gap> Primary::Look() {
  const std::string& name = parts_.slot;
  parts_.attempt->board->WaitsFor(engine::WaitReason::kDatabase);
  lock_.reset();
  ASSIGN_OR_RETURN(sql_, Open(postgres::SessionKind::kSql));
  RETURN_IF_ERROR(postgres::CheckServer(*sql_).status());
  ASSIGN_OR_RETURN(std::optional<replication::SlotState> slot,
                   replication::InspectSlot(*sql_, name));
  const absl::Status usable =
      slot ? replication::CheckSlotUsable(*sql_, name, *slot) : absl::OkStatus();
  const bool lost = ErrorReason(usable) == "slot_lost";
  if (!lost) RETURN_IF_ERROR(usable);
  if (lost || !slot) {
    RETURN_IF_ERROR(HoldSlot());
    ASSIGN_OR_RETURN(slot, replication::InspectSlot(*sql_, name));
    if (!slot) return absl::UnavailableError("the primary's slot is gone again");
  }
  ASSIGN_OR_RETURN(lock_, Open(postgres::SessionKind::kReplication));
  RETURN_IF_ERROR(replication::TakeSlotLock(*lock_, *sql_, name).status());
  ASSIGN_OR_RETURN(const replication::SystemIdentity system, replication::IdentifySystem(*lock_));
  ASSIGN_OR_RETURN(const offset::StoredOffset stored, Load());
  RETURN_IF_ERROR(CheckPosition(stored, system, *sql_, *lock_, replication::SlotLsn(*slot)));
  Gap gap{.from = stored.position.commit_end,
          .to = replication::SlotLsn(*slot),
          .segment_bytes = 0,
          .system_identifier = system.system_identifier};
  ASSIGN_OR_RETURN(gap.segment_bytes, ReadSegmentBytes(*sql_));
  return gap;
}

// As a start of `run` does with walduct.slot.lost=hold: the mark first, then the slot.
absl::Status Primary::HoldSlot() {
  RETURN_IF_ERROR(Peek().status());
  log::Warn(
      "the primary has no slot that could be read: nothing keeps WAL and catalogs; it is made "
      "first",
      {{"slot", parts_.slot}});
  engine::WarnOnce warn_once;
  outbox::TableMemory outbox_tables;
  slot::CaptureRecord capture;
  sink::Refusals refusals;
  slot::Preparation preparation({.config = parts_.holding,
                                 .world = parts_.world,
                                 .source = {.config = parts_.holding,
                                            .metrics = parts_.attempt->metrics,
                                            .warn_once = &warn_once,
                                            .outbox_tables = &outbox_tables,
                                            .capture = &capture,
                                            .stopping = [this] { return parts_.stopping(); }},
                                 .refusals = &refusals,
                                 .control = parts_.attempt->control,
                                 .board = parts_.attempt->board,
                                 .slot_is_lost = true});
  const absl::Status held = preparation.Run().status();
  return ErrorReason(held) == "lost_slot_held" ? absl::OkStatus() : held;
}

}  // namespace walduct::recover
