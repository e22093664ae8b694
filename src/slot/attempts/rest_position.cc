#include "slot/attempts/rest_position.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/errors/named_hint.h"
#include "metrics/connector_metrics.h"
#include "offset/offset_store.h"
#include "slot/attempts/slot_source.h"
#include "slot/start/start_rules.h"

namespace walduct::slot {
namespace {

// So short before the look that it counts as of the same time.
constexpr absl::Duration kFresh = absl::Seconds(5);

}  // namespace

absl::Status JudgeRest(const RestRules& rules, const std::optional<offset::StoredOffset>& stored,
                       const replication::WatchedSlot& look) {
  const bool gone = look.wal_status == "lost" || look.wal_status == "missing";
  // Slots that are on their way to other tables.
  if (!stored || gone || !look.confirmed.valid() || stored->handover ||
      stored->slots != rules.slots)
    return absl::OkStatus();
  const std::optional<replication::SlotState> slot =
      replication::SlotState{.plugin = {},
                             .database = {},
                             .restart_lsn = look.confirmed,
                             .confirmed_flush_lsn = look.confirmed,
                             .wal_status = look.wal_status,
                             .invalidation_reason = {}};
  const absl::StatusOr<StartVerdict> verdict =
      JudgeStart({.stored = &stored,
                  .slot = &slot,
                  .server = {.system = {.system_identifier = stored->system_identifier,
                                        .timeline = stored->timeline.value_or(0),
                                        .wal_end = look.wal_end},
                             .timelines = {},
                             .in_recovery = stored->of_standby || look.in_recovery,
                             .next_xid = 0,
                             .slot = look.confirmed}});
  const absl::Status why = verdict.ok() ? verdict->available : verdict.status();
  return rules.trusts_moved && ErrorReason(why) == "position_skipped" ? absl::OkStatus() : why;
}

absl::Status PositionGone(Lsn lsn, bool remembered) {
  const std::string set = absl::StrCat("walduct offsets set NAME ", lsn.ToString());
  return Error(
      absl::StatusCode::kFailedPrecondition, "offset_missing",
      absl::StrCat(
          "the stored position is gone: nobody has erased it, and the offset store has none "
          "any more; it was ",
          lsn.ToString(), remembered ? ", which this process alone knows" : ""),
      remembered ? absl::StrCat("restart the connector: it goes on from there and stores it again; "
                                "until then do not stop this process. If it has ended all the "
                                "same: ",
                                set)
                 : absl::StrCat(set, " stores it again"));
}

void RestPosition::End() {
  const MutexLock lock(mutex_);
  rests_ = false;
  Forget();
}

absl::Time RestPosition::asked_at() const {
  const MutexLock lock(mutex_);
  return asked_.value_or(absl::InfinitePast());
}

void RestPosition::Forget() {
  doubted_.reset();
  asked_.reset();
  read_.reset();
  stored_.reset();
  said_.clear();
  had_.reset();
  let_go_ = false;
}

// Where the slot is gone as well it is that which is told.
absl::Status RestPosition::Judge(const RestRules& rules, const replication::WatchedSlot& look,
                                 std::optional<Lsn> ended_at, bool served) const {
  const bool gone = look.wal_status == "lost" || look.wal_status == "missing";
  const std::optional<Lsn> was = ended_at ? ended_at : had_;
  if (stored_ || let_go_ || gone || !was || !rules.needs_position)
    return JudgeRest(rules, stored_, look);
  return PositionGone(*was, /*remembered=*/served && ended_at.has_value());
}

// What was read before it came to rest is not what it rests on: a start that failed at once may
// have been between two looks.
void RestPosition::Saw(engine::Monitored& connector, const replication::WatchedSlot& look,
                       absl::Time now, std::optional<Lsn> ended_at) {
  const engine::ConnectorStatus status = connector.status();
  const MutexLock lock(mutex_);
  rests_ = true;
  if (!read_) return;
  if (*read_ < status.activity_since) return Forget();
  const RestRules rules = RestRulesOf(connector.config());
  const absl::Status why = Judge(rules, look, ended_at, connector.names().served);
  metrics::SlotBoard& board = connector.metrics().slot;
  // Who has a position had a slot, though nobody has seen it here.
  const std::optional<metrics::SlotView> shown = board.Read();
  if (stored_ && look.wal_status == "missing" && shown && shown->wal_status == "none")
    board.OnError("slot_missing", shown->looked_at);
  if (why.ok()) {
    said_.clear();
    doubted_.reset();
    return board.ShowPosition(std::nullopt);
  }
  // Somebody may have stored another one, and moved the slot to it.
  if (!doubted_) doubted_ = now;
  if (*read_ < *doubted_ - kFresh) return;
  const engine::ConnectorNames names = engine::NamesIn(status.state, connector.names());
  const std::string message(why.message()), reason = ErrorReason(why);
  std::string hint = engine::NamedHint(reason, message, ErrorHint(why), names);
  if (rules.fills_gaps && stored_)
    hint =
        "the next start reads all tables anew (snapshot.mode=when_needed), and nobody tells of "
        "rows that were deleted meanwhile";
  board.ShowPosition(metrics::PositionProblem{.reason = reason, .message = message, .hint = hint});
  if (said_ == reason) return;
  said_ = reason;
  log::SetConnector(connector.names().connector);
  log::Error("a connector that rests could not go on from its stored position: " + message,
             {{"slot", look.slot}, {"reason", reason}, {"hint", hint}});
  log::SetConnector("");
}

std::optional<RestPosition::Due> RestPosition::DueAt(absl::Time now) const {
  const MutexLock lock(mutex_);
  if (!rests_) return std::nullopt;
  const absl::Duration since = asked_ ? now - *asked_ : absl::InfiniteDuration();
  if (doubted_ && (!asked_ || *asked_ < *doubted_ - kFresh)) return Due::kDoubted;
  if (doubted_) return since >= kSoon ? std::optional(Due::kDoubted) : std::nullopt;
  if (!read_) return since >= kSoon ? std::optional(Due::kUnknown) : std::nullopt;
  return since >= kAgain ? std::optional(Due::kAgain) : std::nullopt;
}

absl::Status RestPosition::Read(World& world, const engine::ConnectorOptions& config) {
  const absl::Time begun = world.clock().Now();
  {
    const MutexLock lock(mutex_);
    asked_ = begun;
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<offset::OffsetStore> store, world.OpenOffsetStore(config));
  ASSIGN_OR_RETURN(std::optional<offset::StoredOffset> stored, store->Load());
  const MutexLock lock(mutex_);
  if (!rests_) return absl::OkStatus();
  read_ = begun;
  stored_ = std::move(stored);
  if (stored_) had_ = stored_->position.commit_end;
  let_go_ = !stored_ && (let_go_ || store->erased());
  return absl::OkStatus();
}

std::optional<offset::StoredOffset> RestPosition::stored() const {
  const MutexLock lock(mutex_);
  return read_ ? stored_ : std::nullopt;
}

}  // namespace walduct::slot
