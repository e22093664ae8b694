#include "slot/attempts/rest_position.h"

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/percent.h"
#include "base/shell_word.h"
#include "base/status_macros.h"
#include "engine/errors/named_hint.h"
#include "metrics/connector_metrics.h"
#include "names/called.h"
#include "offset/offset_store.h"
#include "slot/attempts/slot_source.h"
#include "slot/start/start_rules.h"

namespace walduct::slot {
namespace {

// So short before the look that it counts as of the same time.
constexpr absl::Duration kFresh = absl::Seconds(5);

// Said in the place of a reason.
constexpr absl::string_view kGoneOn = "gone_on";

bool IsGone(const replication::WatchedSlot& look) {
  return look.wal_status == "lost" || look.wal_status == "missing";
}

// Why it does not get to its slot, where somebody else reads that; else empty.
std::string TakenBy(const engine::ConnectorError& error) {
  return error.reason == "slot_in_use" || error.reason == "slot_held" ? error.reason : "";
}

bool RestsAsTold(const engine::ConnectorStatus& status) {
  return status.state == engine::ConnectorState::kPaused ||
         status.state == engine::ConnectorState::kStopped;
}

// Nothing that would give up what the other one may have read: no loss, no snapshot.
std::string GoneOnHint(const engine::ConnectorNames& names) {
  const names::Called& called = names.called;
  const bool served = names.served && !called.where.empty() && !called.name.empty();
  const std::string remove =
      served ? ShellWord(absl::StrCat(called.where, "/connectors/", EncodePercent(called.name)))
             : "";
  return absl::StrCat(
      "if the other one stays: ",
      served ? absl::StrCat("curl -X DELETE ", remove, " deletes this connector, and not the slot")
             : "end this process",
      ". To go on here later: stop the other one, store where it has come to (",
      names::Command(called, "offsets import", "FILE"),
      ", of what its walduct offsets export or GET /connectors/NAME/offsets answers), then ",
      names::Command(called, "resume"));
}

// What moves the position of one that tries again and again is refused.
std::string StopFirst(const engine::ConnectorNames& names) {
  if (names.served) return absl::StrCat(names::Command(names.called, "stop"), ", then: ");
  if (names.called.unit.empty()) return "end this process, then: ";
  return absl::StrCat("sudo systemctl stop ", ShellWord("walduct@" + names.called.unit),
                      ", then: ");
}

}  // namespace

absl::Status JudgeRest(const RestRules& rules, const std::optional<offset::StoredOffset>& stored,
                       const replication::WatchedSlot& look) {
  // Slots that are on their way to other tables.
  if (!stored || IsGone(look) || !look.confirmed.valid() || stored->handover ||
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
  looked_at_ = retries_ = false;
  taken_.clear();
  Forget();
}

absl::Time RestPosition::asked_at() const {
  const MutexLock lock(mutex_);
  return asked_.value_or(absl::InfinitePast());
}

void RestPosition::Forget() {
  seen_.reset();
  doubted_.reset();
  cleared_.reset();
  patience_ = kSoon;
  asked_.reset();
  read_.reset();
  stored_.reset();
  said_.clear();
  had_.reset();
  let_go_ = false;
}

// Where the slot is gone as well it is that which is told.
absl::Status RestPosition::WhyNot(const RestRules& rules, std::optional<Lsn> ended_at,
                                  bool served) const {
  const replication::WatchedSlot& look = seen_->look;
  const std::optional<Lsn> was = ended_at ? ended_at : had_;
  if (stored_ || let_go_ || IsGone(look) || !was || !rules.needs_position || retries_)
    return JudgeRest(rules, stored_, look);
  return PositionGone(*was, /*remembered=*/served && ended_at.has_value());
}

void RestPosition::Saw(engine::Monitored& connector, const replication::WatchedSlot& look,
                       absl::Time now, std::optional<Lsn> ended_at) {
  {
    const engine::ConnectorStatus status = connector.status();
    const MutexLock lock(mutex_);
    looked_at_ = true;
    retries_ = status.retries();
    taken_ = retries_ ? TakenBy(*status.last_error) : "";
    // What was read before it came to rest is not what it rests on: a start that failed at once may
    // have been between two looks.
    if (!retries_ && read_ && *read_ < status.activity_since) Forget();
    seen_ = {.look = look, .at = now};
    knows_end_ = ended_at.has_value();
  }
  Judge(connector, now, ended_at);
}

// Before the store was asked: whether there is cause to, by where this process knows that it
// stands.
bool RestPosition::IsUnread(const RestRules& rules, std::optional<Lsn> ended_at) {
  if (read_) return false;
  const Lsn confirmed = seen_->look.confirmed;
  const bool beyond = ended_at && !IsGone(seen_->look) && confirmed > *ended_at;
  if (beyond && !rules.trusts_moved && !doubted_) doubted_ = seen_;
  return true;
}

// Somebody may have stored another one, and moved the slot to it.
bool RestPosition::IsProven(const RestRules& rules, const std::string& reason, absl::Time now) {
  const bool moved = reason == "position_skipped" || reason == "lost_slot_held";
  if (!moved && seen_->at < *read_) return false;
  if (!doubted_) doubted_ = seen_;
  if (!moved) return *read_ >= doubted_->at - kFresh;
  if (*read_ < doubted_->at) return false;
  if (!JudgeRest(rules, stored_, doubted_->look).ok()) return true;
  // It was right then, and has been moved on since.
  Clears(now);
  doubted_ = seen_;
  said_.clear();
  return false;
}

void RestPosition::Clears(absl::Time now) {
  patience_ = cleared_ ? std::min(patience_ * 2, kLate) : kSoon;
  cleared_ = now;
}

void RestPosition::Clear(metrics::SlotBoard* board, absl::Time now) {
  if (doubted_) Clears(now);
  doubted_.reset();
  said_.clear();
  board->ShowPosition(std::nullopt);
}

void RestPosition::Judge(engine::Monitored& connector, absl::Time now,
                         std::optional<Lsn> ended_at) {
  const RestRules rules = RestRulesOf(connector.config());
  metrics::SlotBoard& board = connector.metrics().slot;
  const MutexLock lock(mutex_);
  if (!looked_at_ || !seen_ || IsUnread(rules, ended_at)) return;
  // Who has a position had a slot, though nobody has seen it here.
  const std::optional<metrics::SlotView> shown = board.Read();
  if (stored_ && seen_->look.wal_status == "missing" && shown && shown->wal_status == "none")
    board.OnError("slot_missing", shown->looked_at);
  const absl::Status why = WhyNot(rules, ended_at, connector.names().served);
  const std::string reason = ErrorReason(why);
  // Of one that retries the rest is told by its errors, or mended by its next attempt.
  const bool by_itself =
      retries_ && (reason != "position_skipped" || (rules.fills_gaps && taken_.empty()));
  if (why.ok() || by_itself) return Clear(&board, now);
  const bool proven = IsProven(rules, reason, now);
  const bool gone_on = reason == "position_skipped" && !retries_ && !seen_->look.reader.empty() &&
                       RestsAsTold(connector.status());
  if (proven) return gone_on ? TellGoneOn(connector) : Tell(connector, rules, why);
  if (said_ != (gone_on ? kGoneOn : reason)) board.ShowPosition(std::nullopt);
}

void RestPosition::Tell(engine::Monitored& connector, const RestRules& rules,
                        const absl::Status& why) {
  const engine::ConnectorStatus status = connector.status();
  engine::ConnectorNames names = engine::NamesIn(status.state, connector.names());
  names.called.rests = names.called.rests || retries_;
  const std::string message(why.message()), reason = ErrorReason(why);
  std::string hint = absl::StrCat(retries_ ? StopFirst(names) : "",
                                  engine::NamedHint(reason, message, ErrorHint(why), names));
  if (rules.fills_gaps && stored_)
    hint =
        "the next start reads all tables anew (snapshot.mode=when_needed), and nobody tells of "
        "rows that were deleted meanwhile";
  if (!taken_.empty())
    hint = absl::StrCat("at once end the session that reads the slot (", taken_,
                        "): what it confirms is lost to this connector. Then: ", hint);
  connector.metrics().slot.ShowPosition(
      metrics::PositionProblem{.reason = reason, .message = message, .hint = hint});
  if (said_ == reason) return;
  said_ = reason;
  log::SetConnector(connector.names().connector);
  log::Error(absl::StrCat("a connector that ", retries_ ? "retries" : "rests",
                          " could not go on from its stored position: ", message),
             {{"slot", seen_->look.slot}, {"reason", reason}, {"hint", hint}});
  log::SetConnector("");
}

void RestPosition::TellGoneOn(engine::Monitored& connector) {
  const engine::ConnectorStatus status = connector.status();
  const engine::ConnectorNames names = engine::NamesIn(status.state, connector.names());
  const replication::WatchedSlot& look = seen_->look;
  const std::string message =
      absl::StrCat("another reader (", look.reader,
                   "), which has gone on from here: the slot stands at ", look.confirmed.ToString(),
                   ", beyond ", stored_->position.commit_end.ToString(), ", which is stored here");
  const std::string hint = GoneOnHint(names);
  connector.metrics().slot.ShowGoneOn(
      metrics::PositionProblem{.reason = std::string(kGoneOn), .message = message, .hint = hint});
  if (said_ == kGoneOn) return;
  said_ = std::string(kGoneOn);
  log::SetConnector(connector.names().connector);
  log::Warn(absl::StrCat("the slot of a connector that rests is read by ", message),
            {{"slot", look.slot}, {"hint", hint}});
  log::SetConnector("");
}

std::optional<RestPosition::Due> RestPosition::DueAt(absl::Time now) const {
  const MutexLock lock(mutex_);
  if (!looked_at_) return std::nullopt;
  const absl::Duration since = asked_ ? now - *asked_ : absl::InfiniteDuration();
  if (doubted_ && cleared_ && now - *cleared_ < patience_) return std::nullopt;
  const Due doubted = retries_ && cleared_ ? Due::kAgain : Due::kDoubted;
  if (doubted_ && (!asked_ || *asked_ < doubted_->at)) return doubted;
  if (doubted_ && since >= kSoon) return doubted;
  const bool told = !said_.empty() && !retries_;
  if (doubted_) return told && since >= kTold ? std::optional(Due::kAgain) : std::nullopt;
  if (retries_ && (taken_.empty() || knows_end_ || read_)) return std::nullopt;
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
  if (!looked_at_) return absl::OkStatus();
  read_ = begun;
  stored_ = std::move(stored);
  if (stored_) had_ = stored_->position.commit_end;
  let_go_ = !stored_ && (let_go_ || store->erased());
  return absl::OkStatus();
}

void RestPosition::TellLag(metrics::LagBoard* lag) const {
  const MutexLock lock(mutex_);
  if (!read_ || (!stored_ && !let_go_)) return;
  if (!stored_) return lag->OnStored(std::nullopt);
  // The rows of a snapshot that is not at its end count from its beginning.
  if (stored_->position.snapshot == event::SnapshotPhase::kNone)
    lag->OnStored(stored_->position.commit_end);
}

std::optional<offset::StoredOffset> RestPosition::stored() const {
  const MutexLock lock(mutex_);
  return read_ ? stored_ : std::nullopt;
}

}  // namespace walduct::slot
