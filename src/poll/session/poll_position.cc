// PollSession: with walduct.outbox.done=position. No row is marked: the offset store has, for each
// table, the snapshot up to which it is published. Where the sink has transactions, the position is
// committed with the records.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "outbox/options.h"
#include "poll/position/position_sql.h"
#include "poll/session/poll_session.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kTurn = absl::Seconds(1);
// Of a position that moves without rows: what lies behind it is looked over at every look.
constexpr absl::Duration kSaveIdle = absl::Minutes(1);

// Of WAL that is not flushed: then the server is made to flush it.
constexpr absl::Duration kFirstFlush = absl::Milliseconds(5);
constexpr absl::Duration kLongestFlush = absl::Milliseconds(160);
// So old the proof of the locks may be by which a position is stored: less than a sink's lease.
constexpr absl::Duration kProven = absl::Milliseconds(100);
constexpr int64_t kLeastId = std::numeric_limits<int64_t>::min();

absl::Status SlowStore() {
  return Error(absl::StatusCode::kDeadlineExceeded, "offset_store_slow",
               "the position of the outbox tables is not stored within the time to stop in: what "
               "was published behind the last one is published again",
               "raise walduct.shutdown.timeout.ms, or look at the offset store");
}

}  // namespace

bool PollSession::positions() const { return engine::OutboxOf(config()).positions; }

absl::Status PollSession::OpenPositions() {
  if (!positions()) return absl::OkStatus();
  const Environment& environment = parts_.attempt.world->environment();
  ASSIGN_OR_RETURN(store_, parts_.world->OpenOffsetStore(config(), environment));
  if (sink_->transactions() != nullptr) {
    auto committing = std::make_unique<delivery::CommittingStore>(std::move(store_), sink_.get(),
                                                                  environment.clock);
    committing_ = committing.get();
    store_ = std::move(committing);
    RETURN_IF_ERROR(committing_->Open());
  }
  // Statistics that are old make the planner sort what is left of a window for every batch.
  for (const absl::string_view way : {"enable_bitmapscan", "enable_sort"})
    RETURN_IF_ERROR(connection_->Set(way, "off"));
  ASSIGN_OR_RETURN(std::optional<offset::StoredOffset> stored, store_->Load());
  const bool first = !stored.has_value();
  ASSIGN_OR_RETURN(const auto answer, Ask(NowSql(), postgres::OneRow(5)));
  ASSIGN_OR_RETURN(const ServerNow now, ReadNow(answer));
  if (!first) {
    stored_ = *std::move(stored);
    const std::string& member = event::FindMember(stored_.members, event::kOutboxMember);
    if (member.empty())
      return Error(absl::StatusCode::kFailedPrecondition, "outbox_position_lost",
                   "the stored position is that of a replication slot",
                   "give the connector that polls another name, or walduct offsets reset");
    ASSIGN_OR_RETURN(positions_, DecodePositions(member));
    RETURN_IF_ERROR(CheckServer(stored_, positions_, now));
  }
  now.Put(&stored_);
  positions_saved_ = environment.clock->Monotonic();
  return BeginTables(now, first);
}

// Of tables that no position is stored of.
absl::Status PollSession::BeginTables(const ServerNow& now, bool first) {
  const bool skips = engine::OutboxOf(config()).skips_history;
  bool begins = first;
  for (const OutboxTable& table : tables_) {
    const bool added = positions_.try_emplace(table.name).second;
    if (!added || !skips) continue;
    positions_[table.name].seen = now.snapshot;
    begins = true;
    if (!first)
      log::Info("outbox table has no stored position: it is published from now on",
                {{"table", table.name}, {"because", "snapshot.mode=no_data"}});
  }
  if (!begins) return absl::OkStatus();
  RETURN_IF_ERROR(AwaitFlush(now.written));
  return SavePositions(false);
}

// What a snapshot saw may be gone after a crash before its WAL is flushed (synchronous_commit=off):
// the numbers of its transactions are given again then, and rows that have them would lie behind
// the position.
absl::Status PollSession::AwaitFlush(Lsn written) {
  // The bounds were asked for since: where others commit it is flushed by now.
  absl::Duration pause = absl::ZeroDuration();
  while (stored_.position.commit_end < written) {
    if (duties_->interrupted()) return absl::CancelledError("interrupted");
    RETURN_IF_ERROR(duties_->TurnAndWait(-1, pause, engine::WaitReason::kDatabase));
    RETURN_IF_ERROR(Verify());
    ASSIGN_OR_RETURN(const auto answer,
                     Ask(FlushedSql(pause == kLongestFlush), postgres::OneRow(2)));
    ASSIGN_OR_RETURN(stored_.position.commit_end, Lsn::Parse(answer.Get(0, 0)));
    stored_.position.change_lsn = stored_.position.commit_end;
    pause = std::clamp(pause * 2, kFirstFlush, kLongestFlush);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> PollSession::OpenWindow(const OutboxTable& table) {
  TablePosition& at = positions_[table.name];
  TablePosition open = at;
  Passed& passed = passed_[table.name];
  Lsn written;  // of a window that is stored: nothing more is to be flushed
  if (at.window.empty()) {
    ASSIGN_OR_RETURN(const auto answer, Ask(NowSql(), postgres::OneRow(5)));
    ASSIGN_OR_RETURN(const ServerNow now, ReadNow(answer));
    now.Put(&stored_);
    if (!passed.seen.empty() && passed.written <= now.flushed) at.seen = passed.seen;
    passed.seen.clear();
    if (now.snapshot == at.seen) return false;
    open = {.seen = at.seen, .window = now.snapshot, .last = absl::StrCat(kLeastId)};
    written = now.written;
  } else if (ends_.contains(table.name)) {
    return true;
  }
  ASSIGN_OR_RETURN(const auto bounds, Ask({.sql = BoundsSql(table),
                                           .parameters = {open.seen, open.window, open.last},
                                           .answer = postgres::OneRow(3)}));
  if (bounds.Get(0, 0) == "0") {
    if (written <= stored_.position.commit_end)
      at = TablePosition{.seen = std::move(open.window)};
    else
      passed = {.seen = std::move(open.window), .written = written};
    return SaveIdle();
  }
  RETURN_IF_ERROR(AwaitFlush(written));
  int64_t first = 0;
  if (absl::SimpleAtoi(bounds.Get(0, 1), &first) && first > kLeastId)
    open.last = absl::StrCat(first - 1);
  at = std::move(open);
  ends_[table.name] = std::string(bounds.Get(0, 2));
  return true;
}

absl::StatusOr<bool> PollSession::SaveIdle() {
  const absl::Duration now = parts_.attempt.world->clock().Monotonic();
  if (now - positions_saved_ >= kSaveIdle) RETURN_IF_ERROR(SavePositions(false));
  return false;
}

postgres::Statement PollSession::ClaimOfWindow(const OutboxTable& table) {
  const TablePosition& at = positions_[table.name];
  const std::string& last = flight_.empty() ? at.last : flight_.back().last_id;
  return postgres::Statement{
      .sql = WindowSql(table, engine::OutboxOf(config()).where),
      .parameters = {at.seen, at.window, last, ends_[table.name], absl::StrCat(rows_at_once())},
      .answer = postgres::Rows(table.free_column() + 1)};
}

// A position lies between two ids: of rows that share one all are acknowledged, or none counts.
size_t PollSession::WholeIds(const Batch& batch, size_t acknowledged) {
  const std::vector<std::string>& ids = batch.keys.front();
  while (acknowledged > batch.marked) {
    const std::string& next = acknowledged < batch.rows ? ids[acknowledged] : batch.next_id;
    if (ids[acknowledged - 1] != next) break;
    --acknowledged;
  }
  return acknowledged;
}

bool PollSession::MovePosition(Batch* batch, size_t acknowledged) {
  const bool ended = batch->ends_window && acknowledged == batch->rows;
  acknowledged = WholeIds(*batch, acknowledged);
  if (acknowledged <= batch->marked && !ended) return false;
  TablePosition& at = positions_[batch->table->name];
  if (ended) {
    at = TablePosition{.seen = std::move(at.window)};
    ends_.erase(batch->table->name);
  } else {
    at.last = batch->keys.front()[acknowledged - 1];
  }
  batch->marked = acknowledged;
  return true;
}

// Of positions other than those in a transaction of the sink: they are taken from whoever writes,
// also from a session that was replaced.
absl::StatusOr<bool> PollSession::StartSave() {
  if (owner_ != nullptr) {
    RETURN_IF_ERROR(VerifyLocks(false));
  } else if (parts_.attempt.world->clock().Monotonic() - proven_ > kProven) {
    if (asked_ == Asked::kNothing) RETURN_IF_ERROR(AskAhead(Asked::kLocks, LocksHeld()));
    return false;
  }
  RETURN_IF_ERROR(CheckAlive());
  for (Batch& batch : flight_) {
    if (!acknowledged(batch)) break;
    MovePosition(&batch, batch.rows);
    batch.saving = true;
  }
  stored_.members[event::kOutboxMember] = EncodePositions(positions_);
  RETURN_IF_ERROR(store_->StartSave(stored_));
  saving_ = true;
  return true;
}

absl::Status PollSession::PollSave() {
  const std::optional<absl::Status> saved = store_->PollSave();
  if (!saved) return absl::OkStatus();
  saving_ = false;
  RETURN_IF_ERROR(*saved);
  positions_saved_ = parts_.attempt.world->clock().Monotonic();
  for (; !flight_.empty() && flight_.front().saving; flight_.pop_front())
    CountDone(flight_.front().marked);
  return absl::OkStatus();
}

absl::Status PollSession::SaveAhead() {
  while (true) {
    if (saving_) RETURN_IF_ERROR(PollSave());
    if (saving_ || flight_.empty() || !acknowledged(flight_.front())) return absl::OkStatus();
    ASSIGN_OR_RETURN(const bool started, StartSave());
    if (!started) return absl::OkStatus();
  }
}

absl::Status PollSession::SalvagePositions() {
  bool moved = false;
  for (Batch& batch : flight_) {
    if (!batch.saving) moved |= MovePosition(&batch, Acknowledged(batch));
    moved |= batch.saving;
    if (batch.marked < batch.rows || !batch.handed_over) break;
  }
  if (!moved) return absl::OkStatus();
  RETURN_IF_ERROR(SavePositions(true));
  for (const Batch& batch : flight_) CountDone(batch.marked);
  return absl::OkStatus();
}

// Whoever goes on by a slot reads these rows first.
void PollSession::TellPositions() {
  if (!positions()) return;
  for (const OutboxTable& table : tables_) {
    log::Info("position of the outbox table",
              {{"table", table.name}, {"rest", RestCondition(table, positions_[table.name])}});
  }
}

absl::Status PollSession::SavePositions(bool hurries) {
  engine::Host& world = *parts_.attempt.world;
  const absl::Duration most = engine::RuntimeOf(config()).shutdown_timeout * (1 - kSettleShare);
  std::optional<absl::Duration> until;  // absent: nobody has asked for an end
  const auto late = [&] {
    const absl::Duration now = world.clock().Monotonic();
    if (!until && (hurries || duties_->interrupted())) until = now + most;
    return until && now >= *until;
  };
  while (committing_ != nullptr && sink_->transactions()->undecided()) {
    if (late()) return SlowStore();
    RETURN_IF_ERROR(duties_->TurnAndWait(-1, kTurn, engine::WaitReason::kDelivery));
  }
  while (saving_) {
    if (late()) return SlowStore();
    if (hurries) {
      parts_.attempt.board->Beat();
      world.poller().WaitReadable({store_->ready_fd()}, kTurn);
    } else {
      RETURN_IF_ERROR(
          duties_->TurnAndWait(store_->ready_fd(), kTurn, engine::WaitReason::kOffsetStore));
    }
    RETURN_IF_ERROR(PollSave());
  }
  // Another store takes a position from whoever writes: also from a session that was replaced.
  if (committing_ == nullptr) RETURN_IF_ERROR(VerifyLocks(hurries));
  stored_.members[event::kOutboxMember] = EncodePositions(positions_);
  RETURN_IF_ERROR(store_->StartSave(stored_));
  while (true) {
    if (const std::optional<absl::Status> saved = store_->PollSave()) {
      RETURN_IF_ERROR(*saved);
      break;
    }
    if (late()) return SlowStore();
    if (hurries) {
      parts_.attempt.board->Beat();
      world.poller().WaitReadable({store_->ready_fd()}, kTurn);
    } else {
      RETURN_IF_ERROR(
          duties_->TurnAndWait(store_->ready_fd(), kTurn, engine::WaitReason::kOffsetStore));
      RETURN_IF_ERROR(Verify());
    }
  }
  positions_saved_ = world.clock().Monotonic();
  return committing_ == nullptr || hurries ? absl::OkStatus() : duties_->Turn();
}

}  // namespace walduct::poll
