#include "slot/handover/handover.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "incremental/state.h"
#include "names/table_filter.h"
#include "replication/options.h"
#include "replication/publication/publication_errors.h"
#include "slot/duties/save_offset.h"
#include "slot/lanes/handover_news.h"
#include "slot/lanes/lanes.h"
#include "slot/start/start_position.h"
#include "snapshot/mode.h"
#include "snapshot/options.h"

namespace walduct::slot {
namespace {

// Patience: how long something has been waited for, and when that is told again. One thread.
class Patience {
 public:
  explicit Patience(Clock& clock) : clock_(clock), since_(clock.Monotonic()) {}

  // At once, and then every half a minute.
  bool Tells() {
    constexpr absl::Duration kTell = absl::Seconds(30);
    const absl::Duration now = clock_.Monotonic();
    if (told_ && now < next_) return false;
    told_ = true;
    next_ = now + kTell;
    return true;
  }
  std::string Since() const {
    return absl::FormatDuration(absl::Trunc(so_far(), absl::Seconds(1)));
  }
  absl::Duration so_far() const { return clock_.Monotonic() - since_; }

 private:
  Clock& clock_;
  const absl::Duration since_;
  absl::Duration next_;
  bool told_ = false;
};

using offset::SlotHandover;
using Step = SlotHandover::Step;
using Stored = std::optional<offset::StoredOffset>;

// Lanes of this process that begin to wait give their slots up in a moment.
constexpr absl::Duration kSlotsPatience = absl::Seconds(20);
constexpr absl::Duration kSlotsPause = absl::Milliseconds(500);
// Writers go on between two tries to lock a table.
constexpr absl::Duration kLockPause = absl::Seconds(1);
// The second try waits for an autovacuum to yield, and then each fifth: one that keeps transaction
// ids from running out does not.
constexpr int kLockRound = 5;
constexpr absl::Duration kNewsPause = absl::Milliseconds(200);
constexpr absl::Duration kLook = absl::Seconds(5);

absl::Status Stopped() { return absl::CancelledError("stopped"); }

bool Passes(const absl::Status& held) {
  const std::string reason = ErrorReason(held);
  return reason == "slot_held" || reason == "slot_in_use";
}

std::string SlotsText(int count) { return absl::StrCat(count, count == 1 ? " slot" : " slots"); }

}  // namespace

// Of a world that knows no other number.
absl::StatusOr<std::unique_ptr<HandoverServer>> World::OpenHandover(const engine::ConnectorOptions&,
                                                                    const postgres::StopCheck&) {
  return absl::UnimplementedError("no hand-over to another number of slots");
}

Handover::Handover(const Parts& parts) : parts_(parts) {
  change_.share = config().replication->share;
  handover_.to = change_.to();
}

absl::Status Handover::Run() {
  parts_.board->Show(engine::Activity::kHandingOver);
  if (change_.share.number > 1) return Await();
  const std::shared_ptr<HandoverNews>& news = config().handover_news;
  if (news != nullptr) news->Begin();
  const absl::Status led = Lead();
  if (news == nullptr) return led;
  // Whether a failure is the end is for who runs the lane to say.
  if (led.ok())
    news->End(led);
  else
    news->Rest();
  return led;
}

absl::Status Handover::Await() {
  parts_.board->WaitsFor(engine::WaitReason::kHandover);
  Clock& clock = parts_.world->clock();
  const HandoverNews::Now before = config().handover_news->Read();
  ASSIGN_OR_RETURN(const auto store, parts_.world->OpenOffsetStore(FirstLaneOf(config())));
  Patience patience(clock);
  absl::Duration next_look;
  while (true) {
    const HandoverNews::Now news = config().handover_news->Read();
    // One from before this lane waited may be about to be taken back.
    if (!news.refused.ok() && (news.refusals > before.refusals || patience.so_far() > kLook))
      return news.refused;
    if (news.led || clock.Monotonic() >= next_look) {
      ASSIGN_OR_RETURN(const Stored first, store->Load());
      if (!offset::IsHandoverDue(first, change_.to())) return absl::OkStatus();
      next_look = clock.Monotonic() + kLook;
    }
    if (patience.Tells()) {
      log::Info("waiting for tables to be handed over",
                {{"slots", change_.to()}, {"for", patience.Since()}});
    }
    if (!Wait(kNewsPause)) return Stopped();
  }
}

absl::Status Handover::Lead() {
  parts_.board->WaitsFor(engine::WaitReason::kDatabase);
  ASSIGN_OR_RETURN(server_, parts_.world->OpenHandover(config(), parts_.stopping));
  RETURN_IF_ERROR(server_->Connect());
  ASSIGN_OR_RETURN(const Stored first, Load(1));
  if (!offset::IsHandoverDue(first, change_.to())) return absl::OkStatus();
  // Slots and publications of another server are not those of the positions.
  ASSIGN_OR_RETURN(const replication::SystemIdentity system, server_->Identify());
  RETURN_IF_ERROR(CheckServerOfOffset(*first, system));
  handover_ = first->handover.value_or(
      SlotHandover{.from = first->slots, .to = change_.to(), .step = Step::kMoving, .cut = {}});
  change_.from = handover_.from;
  change_.share.publications =
      LaneAmong(config(), 1, std::max(2, both())).replication->share.publications;
  if (handover_.to != change_.to()) {
    return Error(absl::StatusCode::kFailedPrecondition, "slots_changed",
                 absl::StrCat("the tables of this connector are on their way from ",
                              SlotsText(handover_.from), " to ", handover_.to,
                              ", and walduct.slots is now ", change_.to()),
                 absl::StrCat("set walduct.slots=", handover_.to,
                              " until that is done; docs/slots.md: another number"));
  }
  RETURN_IF_ERROR(first->handover ? GoOn() : Begin(*first));
  while (handover_.step != Step::kEnding) {
    if (handover_.step == Step::kMoving) RETURN_IF_ERROR(Move());
    RETURN_IF_ERROR(Drain());
  }
  return End();
}

absl::Status Handover::GoOn() {
  const std::string& why = config().replication->share.only_one;
  if (!why.empty()) {
    return Error(absl::StatusCode::kFailedPrecondition, "slots_changed",
                 absl::StrCat("tables are on their way to other slots: ", why),
                 "take that back until it is done; docs/slots.md: another number");
  }
  log::Info("handing tables over to other slots goes on", {{"at", HandoverText(handover_)}});
  if (handover_.step == Step::kMoving) return HoldSlots();
  RETURN_IF_ERROR(LookAgain());
  if (handover_.step != Step::kDraining) return absl::OkStatus();
  // A server that was promoted may never come to where the other one was.
  ASSIGN_OR_RETURN(const Lsn end, server_->CurrentLsn());
  return end < handover_.cut ? Reach(Step::kDraining, end) : absl::OkStatus();
}

// A failover may have undone what was moved, and tables may be captured again: before a slot ends
// none may be left in it.
absl::Status Handover::LookAgain() {
  const auto moves = server_->FindMoves(change_);
  const bool ends = handover_.step == Step::kEnding;
  if (ends && ErrorReason(moves.status()) == "publication_missing") return absl::OkStatus();
  RETURN_IF_ERROR(moves.status());
  if (moves->empty()) return absl::OkStatus();
  log::Warn("tables are not where they were handed over to: they are handed over again",
            {{"tables", moves->size()}});
  RETURN_IF_ERROR(HoldSlots());
  return Reach(Step::kMoving);
}

// Until it is stored that a hand-over is under way nothing is changed, and the number may be set
// back.
absl::Status Handover::Begin(const offset::StoredOffset& first) {
  const replication::SlotShare& share = config().replication->share;
  if (!share.only_one.empty()) return Refused(share.only_one);
  if (first.position.snapshot == event::SnapshotPhase::kRunning)
    return Refused("its snapshot has not come to its end");
  if (!snapshot::Streams(config().snapshot->mode)) return Refused("snapshot.mode streams nothing");
  RETURN_IF_ERROR(CheckSlots());
  ASSIGN_OR_RETURN(const auto moves, server_->FindMoves(change_));
  RETURN_IF_ERROR(server_->CheckRights(change_, moves));
  RETURN_IF_ERROR(HoldSlots());
  // Nobody stores any more what was read from these slots.
  ASSIGN_OR_RETURN(const Stored now, Load(1));
  if (!now) return Refused("the first slot has no position any more");
  RETURN_IF_ERROR(CheckOffsets(*now));
  for (int number = handover_.from + 1; number <= change_.to(); ++number) {
    ASSIGN_OR_RETURN(const auto store, parts_.world->OpenOffsetStore(Lane(number)));
    ASSIGN_OR_RETURN(const Stored stale, store->Load());
    if (!stale) continue;
    log::Warn("a position of a slot that the connector does not have is forgotten",
              {{"slot", SlotName(number)}, {"position", stale->position.commit_end.ToString()}});
    RETURN_IF_ERROR(store->Erase());
  }
  log::Info("handing tables over to other slots",
            {{"slots_before", handover_.from}, {"slots", handover_.to}});
  return Reach(Step::kMoving);
}

absl::Status Handover::CheckOffsets(const offset::StoredOffset& first) {
  if (!incremental::MembersThatGoOn(first.members, true).empty())
    return Refused("a snapshot that a signal asked for is under way, or waits");
  for (int number = 1; number <= handover_.from; ++number) {
    ASSIGN_OR_RETURN(const Stored stored, Load(number));
    if (!stored) return Refused(absl::StrCat("slot ", SlotName(number), " has no position"));
    if (stored->slots != handover_.from) {
      return Refused(absl::StrCat("the position of slot ", SlotName(number), " is one of ",
                                  SlotsText(stored->slots)));
    }
    if (stored->position.snapshot == event::SnapshotPhase::kRunning) {
      return Refused(
          absl::StrCat("the snapshot of slot ", SlotName(number), " has not come to its end"));
    }
    ASSIGN_OR_RETURN(const auto slot, server_->Slot(SlotName(number)));
    if (!slot || replication::SlotLsn(*slot) > stored->position.commit_end) {
      return Refused(absl::StrCat("slot ", SlotName(number), " does not reach back to its ",
                                  "position, ", stored->position.commit_end.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status Handover::CheckSlots() {
  for (int number = 1; number <= both(); ++number) {
    ASSIGN_OR_RETURN(const auto slot, server_->Slot(SlotName(number)));
    const bool lost = slot && !slot->restart_lsn.valid();
    if (number <= handover_.from && (!slot || lost)) {
      return Refused(
          absl::StrCat("slot ", SlotName(number), lost ? " was invalidated" : " is not there"));
    }
    if (number > handover_.from && slot) {
      return Refused(absl::StrCat("a slot ", SlotName(number),
                                  " is there already: drop it, SELECT ",
                                  "pg_drop_replication_slot('", SlotName(number), "'), or"));
    }
  }
  return grows() ? server_->CheckFreeSlots(change_.to() - handover_.from) : absl::OkStatus();
}

absl::Status Handover::HoldSlots() {
  std::vector<std::string> names;
  for (int number = 1; number <= both(); ++number) names.push_back(SlotName(number));
  Patience patience(parts_.world->clock());
  while (true) {
    const absl::Status held = server_->HoldSlots(names);
    if (!Passes(held) || patience.so_far() > kSlotsPatience) return held;
    parts_.board->WaitsFor(engine::WaitReason::kHandover);
    if (!Wait(kSlotsPause)) return Stopped();
  }
}

absl::Status Handover::Move() {
  parts_.board->WaitsFor(engine::WaitReason::kDatabase);
  if (grows()) RETURN_IF_ERROR(server_->MakePublications(change_));
  for (int number = handover_.from + 1; number <= change_.to(); ++number)
    RETURN_IF_ERROR(MakeSlot(number));
  RETURN_IF_ERROR(MoveTables());
  ASSIGN_OR_RETURN(const Lsn cut, server_->CurrentLsn());
  RETURN_IF_ERROR(Reach(Step::kDraining, cut));
  server_->ReleaseSlots();
  return absl::OkStatus();
}

// It begins before any table comes to it. One that is there without a position was made by an
// attempt that ended in between.
absl::Status Handover::MakeSlot(int number) {
  ASSIGN_OR_RETURN(const Stored stored, Load(number));
  if (stored) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto slot, server_->Slot(SlotName(number)));
  if (slot && !slot->confirmed_flush_lsn.valid()) {
    RETURN_IF_ERROR(server_->DropSlot(SlotName(number)));
    slot.reset();
  }
  Lsn begins;
  if (slot) {
    begins = slot->confirmed_flush_lsn;
  } else {
    parts_.board->WaitsFor(engine::WaitReason::kTransactions);
    log::Info("creating replication slot", {{"slot", SlotName(number)}});
    const auto tell = [this](const std::string& who) { parts_.board->WaitsOn(who); };
    ASSIGN_OR_RETURN(begins, server_->CreateSlot(*Lane(number).replication, tell));
    log::Info("replication slot created",
              {{"slot", SlotName(number)}, {"consistent_point", begins.ToString()}});
  }
  ASSIGN_OR_RETURN(const replication::SystemIdentity system, server_->Identify());
  offset::StoredOffset offset;
  offset.position.commit_end = begins;
  offset.position.change_lsn = begins;
  offset.position.commit_time_us = absl::ToUnixMicros(parts_.world->clock().Now());
  offset.system_identifier = system.system_identifier;
  offset.timeline = system.timeline;
  offset.slots = change_.to();
  offset.slot_name = SlotName(number);
  return Store(number, offset);
}

absl::Status Handover::MoveTables() {
  int races = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<replication::TableMove> moves, server_->FindMoves(change_));
    if (moves.empty()) return absl::OkStatus();
    for (const replication::TableMove& move : moves) {
      const absl::Status moved = MoveWhenUnlocked(move);
      // Tables come and go: the next look knows.
      const bool raced =
          replication::LostRace(moved) || ErrorReason(moved) == "publication_missing";
      if (raced && ++races < replication::kPublicationAttempts) break;
      RETURN_IF_ERROR(moved);
      const replication::PublishedTable& table = move.tables.front().table;
      log::Info("table goes to another slot",
                {{"table", absl::StrCat(table.schema, ".", table.table)},
                 {"with_partitions", move.tables.size() - 1},
                 {"from", SlotName(move.from)},
                 {"to", SlotName(move.to)}});
    }
    if (!Wait(absl::ZeroDuration())) return Stopped();
  }
}

absl::Status Handover::MoveWhenUnlocked(const replication::TableMove& move) {
  Patience patience(parts_.world->clock());
  for (int tries = 0;; ++tries) {
    RETURN_IF_ERROR(server_->CheckHeld());
    using replication::LockWait;
    const absl::Status moved = server_->Move(
        change_, move, tries % kLockRound == 1 ? LockWait::kUntilVacuumYields : LockWait::kBrief);
    if (ErrorReason(moved) != "tables_locked") return moved;
    parts_.board->WaitsFor(engine::WaitReason::kTableLocks);
    parts_.board->ShowError(moved);
    if (patience.Tells()) {
      log::Warn(absl::StrCat("waiting to hand a table over: ", moved.message()),
                {{"hint", ErrorHint(moved)}, {"for", patience.Since()}});
    }
    if (!Wait(kLockPause)) return Stopped();
  }
}

absl::Status Handover::Drain() {
  const int first = grows() ? 1 : change_.to() + 1;
  for (int number = first; number <= handover_.from; ++number) RETURN_IF_ERROR(DrainLane(number));
  RETURN_IF_ERROR(LookAgain());
  return handover_.step == Step::kMoving ? absl::OkStatus() : Reach(Step::kEnding);
}

absl::Status Handover::DrainLane(int number) {
  ASSIGN_OR_RETURN(Stored stored, Load(number));
  if (!stored) return PositionLost(number);
  if (stored->position.commit_end >= handover_.cut) return absl::OkStatus();
  engine::ConnectorOptions lane = LaneAmong(config(), number, handover_.from);
  lane.replication->share.hands_over = true;
  lane.replication->drop_slot_on_stop = false;
  lane.snapshot->mode = snapshot::SnapshotMode::kNoData;
  lane.tables->share = nullptr;
  *lane.heartbeat = {};
  log::Info("a slot reads what was written to tables before they went to other slots",
            {{"slot", SlotName(number)},
             {"from", stored->position.commit_end.ToString()},
             {"to", handover_.cut.ToString()}});
  const absl::Status drained = parts_.drain(lane, handover_.cut);
  const std::string reason = ErrorReason(drained);
  if (reason == "slot_lost" || reason == "slot_missing" || reason == "position_lost") {
    return Error(absl::StatusCode::kFailedPrecondition, "slots_changed",
                 absl::StrCat("slot ", SlotName(number), " cannot be read up to where its tables ",
                              "went to other slots: ", drained.message()),
                 "what it had to tell is gone: docs/slots.md, to begin anew");
  }
  if (!drained.ok()) return WithContext(drained, absl::StrCat("slot ", SlotName(number)));
  parts_.board->Show(engine::Activity::kHandingOver);
  ASSIGN_OR_RETURN(stored, Load(number));
  if (stored && stored->position.commit_end >= handover_.cut) return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, "handover_unfinished",
               absl::StrCat("slot ", SlotName(number), " has not stored a position at ",
                            handover_.cut.ToString(), " yet"),
               "nothing to do: the next attempt goes on");
}

engine::ConnectorOptions Handover::Lane(int number) const {
  return LaneAmong(config(), number, std::max(2, both()));
}

std::string Handover::SlotName(int number) const { return Lane(number).replication->slot_name; }

absl::Status Handover::Refused(absl::string_view why) const {
  return Error(
      absl::StatusCode::kFailedPrecondition, "slots_changed",
      absl::StrCat("the tables of this connector are spread over ", SlotsText(handover_.from),
                   ", and walduct.slots is now ", change_.to(),
                   "; they cannot be handed over: ", why),
      absl::StrCat("set walduct.slots=", handover_.from, "; docs/slots.md: another number"));
}

absl::Status Handover::PositionLost(int number) const {
  return Error(absl::StatusCode::kFailedPrecondition, "offset_missing",
               absl::StrCat("slot ", SlotName(number),
                            " has lost its position while tables were handed over"),
               "restore the offset store; or begin anew, as docs/slots.md says");
}

absl::StatusOr<Stored> Handover::Load(int number) {
  parts_.board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(const auto store, parts_.world->OpenOffsetStore(Lane(number)));
  ASSIGN_OR_RETURN(Stored stored, store->Load());
  parts_.board->WaitsFor(engine::WaitReason::kDatabase);
  return stored;
}

absl::Status Handover::Store(int number, const offset::StoredOffset& offset) {
  parts_.board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(const auto store, parts_.world->OpenOffsetStore(Lane(number)));
  RETURN_IF_ERROR(store->Load().status());
  return Save(*store, offset);
}

absl::Status Handover::Forget(int number) {
  parts_.board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(const auto store, parts_.world->OpenOffsetStore(Lane(number)));
  ASSIGN_OR_RETURN(const Stored stored, store->Load());
  return stored ? store->Erase() : absl::OkStatus();
}

absl::Status Handover::Change(int number,
                              const std::function<void(offset::StoredOffset*)>& change) {
  parts_.board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(const auto store, parts_.world->OpenOffsetStore(Lane(number)));
  ASSIGN_OR_RETURN(const Stored stored, store->Load());
  if (!stored) return PositionLost(number);
  offset::StoredOffset changed = *stored;
  change(&changed);
  return Save(*store, std::move(changed));
}

absl::Status Handover::Save(offset::OffsetStore& store, offset::StoredOffset offset) {
  RETURN_IF_ERROR(server_->CheckHeld());
  offset.taken_by = absl::StrCat(absl::Hex(parts_.world->Random(), absl::kZeroPad16));
  Ownership ownership({.clock = &parts_.world->clock(),
                       .check = [this] { return server_->CheckHeld(); },
                       .session = nullptr,
                       .sink = nullptr,
                       .store = &store});
  return SaveOffset(store, offset,
                    {.world = parts_.world,
                     .control = parts_.control,
                     .board = parts_.board,
                     .ownership = &ownership});
}

absl::Status Handover::Reach(Step step, Lsn cut) {
  handover_.step = step;
  handover_.cut = cut;
  return Change(1, [this](offset::StoredOffset* offset) { offset->handover = handover_; });
}

// False: interrupted.
bool Handover::Wait(absl::Duration duration) {
  const absl::Duration deadline = parts_.world->clock().Monotonic() + duration;
  while (true) {
    parts_.control->Take();
    if (parts_.control->interrupted()) return false;
    const absl::Duration left = deadline - parts_.world->clock().Monotonic();
    if (left <= absl::ZeroDuration()) return true;
    parts_.board->Beat();
    parts_.world->poller().WaitReadable({parts_.control->fd()}, left);
  }
}

}  // namespace walduct::slot
