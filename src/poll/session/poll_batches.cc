// PollSession: the batches of one table, one behind the other: what is asked of the server while
// one of them is published.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "poll/session/poll_session.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kLongestTurn = absl::Seconds(1);
constexpr absl::Duration kLongStatement = absl::Seconds(2);
// Handed over and not marked.
constexpr size_t kMostInFlight = 2;
// Then other duties and other tables have their turn.
constexpr size_t kMostBatches = 32, kMostOfSeveral = 4;

}  // namespace

// Of rows that are large fewer are read at once.
absl::StatusOr<PollSession::Claimed> PollSession::Claim(const OutboxTable& table) {
  while (true) {
    auto rows = AskForClaim(table);
    if (rows.ok()) {
      Claimed claimed(*std::move(rows));
      claimed.whole = claimed.rows.rows() < rows_at_once();
      GrowBatch();
      return claimed;
    }
    if (ErrorReason(rows.status()) != "answer_too_large" || batch_rows_ == 1) return rows.status();
    batch_rows_ = std::max<int64_t>(1, batch_rows_ / 16);
  }
}

absl::StatusOr<size_t> PollSession::PollTable(const OutboxTable& table) {
  if (positions()) {
    ASSIGN_OR_RETURN(const bool has_rows, OpenWindow(table));
    if (!has_rows) return 0;
  }
  ASSIGN_OR_RETURN(Claimed first, Claim(table));
  std::optional<Claimed> claimed(std::move(first));
  const size_t most = tables_.size() == 1 ? kMostBatches : kMostOfSeveral;
  size_t published = 0;
  LookedAt looked;
  absl::Status status;
  for (size_t batches = 1; claimed && status.ok() && !duties_->interrupted(); ++batches) {
    status = PublishBatch(table, *claimed, batches < most, &looked);
    published += looked.published;
    claimed.reset();
    if (status.ok()) status = AwaitNext();
    // Until its rows are known, nothing is claimed beside them.
    ahead_ = nullptr;
    if (status.ok()) claimed = std::exchange(next_, std::nullopt);
  }
  if (status.ok() && !duties_->interrupted()) status = Drain();
  looked.acknowledged = status.ok() && !duties_->interrupted();
  if (!looked.acknowledged) {
    RETURN_IF_ERROR(Salvage(status));
    looked.acknowledged = committing_ == nullptr && tracker_.idle();
  }
  left_ |= LeavesRows(looked);
  if (looked.acknowledged && !duties_->interrupted()) RETURN_IF_ERROR(LookForLowWater(table));
  return published;
}

absl::Status PollSession::PublishBatch(const OutboxTable& table, const Claimed& claimed,
                                       bool goes_on, LookedAt* looked) {
  *looked = {.found = static_cast<size_t>(claimed.rows.rows()), .whole = claimed.whole};
  RETURN_IF_ERROR(LookAround());
  // Read by another session than that of the locks: these are what it was allowed by.
  if (owner_ != nullptr && looked->found > 0) {
    const absl::Status owned = VerifyLocks(false);
    if (!owned.ok()) duties_->Doubt();
    RETURN_IF_ERROR(owned);
  }
  if (looked->found > 0) parts_.attempt.metrics->backlog.Comes(true);
  Batch& batch = flight_.emplace_back();
  batch.table = &table;
  batch.first = number_ + 1;
  batch.found = looked->found;
  batch.key_column = table.order_key_column();
  batch.attempts_column = table.attempts_column();
  batch.keys.resize(table.key_at.size());
  for (std::vector<std::string>& keys : batch.keys) keys.reserve(batch.found);
  const bool more = !claimed.whole && goes_on && may_read_ahead();
  ahead_ = more && !parts_.attempt.control->holding() ? &table : nullptr;
  if (ahead_ != nullptr && positions()) {
    batch.last_id = std::string(claimed.rows.Get(claimed.rows.rows() - 1, table.key_at.front()));
  } else if (ahead_ != nullptr || ranged_ == &table) {
    NoteBeside(claimed.rows, &batch);
  }
  RETURN_IF_ERROR(Pump());
  const absl::Status published = Publish(claimed.rows, &batch);
  // What comes next is acknowledged apart from it.
  tracker_.EndGroup();
  looked->published = batch.rows;
  RETURN_IF_ERROR(published);
  batch.handed_over = true;
  batch.ends_window = claimed.whole;
  // Later rows of the keys that are held back may have been claimed.
  if (!batch.clean()) {
    ahead_ = nullptr;
    next_.reset();
    ranged_ = nullptr;
  }
  if (committing_ == nullptr || duties_->interrupted()) return absl::OkStatus();
  // A transaction of the sink acknowledges what is written with its end.
  Batch written = std::move(flight_.back());
  flight_.pop_back();
  if (!MovePosition(&written, written.rows)) return absl::OkStatus();
  RETURN_IF_ERROR(SavePositions(false));
  CountDone(written.marked);
  return absl::OkStatus();
}

absl::Status PollSession::AwaitNext() {
  RETURN_IF_ERROR(Pump());
  while (!duties_->interrupted()) {
    if (!next_ && ahead_ == nullptr) return absl::OkStatus();
    if (next_ && flight_.size() < kMostInFlight) return absl::OkStatus();
    RETURN_IF_ERROR(WaitAndPump());
  }
  return absl::OkStatus();
}

absl::Status PollSession::Drain() {
  ahead_ = nullptr;
  RETURN_IF_ERROR(Pump());
  while (!flight_.empty() && !duties_->interrupted()) {
    Batch& front = flight_.front();
    if (front.clean() || positions() || !acknowledged(front) || front.marked < front.rows) {
      RETURN_IF_ERROR(WaitAndPump());
      continue;
    }
    RETURN_IF_ERROR(NoteFailed(&front, false));
    if (!front.ends_window) PassLocked(front);
    flight_.pop_front();
    RETURN_IF_ERROR(Pump());
  }
  return duties_->interrupted() ? absl::OkStatus() : FinishAsked(*connection_, false);
}

absl::Status PollSession::WaitAndPump() {
  const bool asks = asked_ != Asked::kNothing, settles = tracker_.idle();
  const bool slow = asks && parts_.attempt.world->clock().Monotonic() - asked_at_ >= kLongStatement;
  const engine::WaitReason wait = slow      ? engine::WaitReason::kDatabase
                                  : saving_ ? engine::WaitReason::kOffsetStore
                                            : engine::WaitReason::kNothing;
  RETURN_IF_ERROR(duties_->TurnAndWait(asks ? connection_->ready_fd() : -1, kLongestTurn,
                                       settles ? wait : engine::WaitReason::kDelivery,
                                       saving_ ? store_->ready_fd() : -1));
  return LookBeside();
}

absl::Status PollSession::Pump() {
  absl::Status pumped = PumpOnce();
  if (pumped.ok()) return pumped;
  pump_failed_ = true;
  // Somebody else may have the tables by now: nothing more is sent.
  duties_->Doubt();
  return pumped;
}

absl::Status PollSession::PumpOnce() {
  if (asked_ == Asked::kNothing) return AskNext();
  auto answer = connection_->PollResult();
  if (answer.ok() && !*answer) return AskNext();
  const Asked asked = std::exchange(asked_, Asked::kNothing);
  if (asked == Asked::kClaim && ErrorReason(answer.status()) == "answer_too_large") {
    ahead_ = nullptr;  // it is asked again for fewer, with nothing beside it
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(answer.status());
  RETURN_IF_ERROR(TakeAnswer(asked, **std::move(answer)));
  return AskNext();
}

absl::Status PollSession::TakeAnswer(Asked asked, postgres::Result answer) {
  if (owner_ == nullptr) spoke_ = std::max(spoke_, asked_at_);
  proven_ = asked_at_;
  const absl::Duration now = parts_.attempt.world->clock().Monotonic();
  switch (asked) {
    case Asked::kNothing:
      break;
    case Asked::kLocks:
      proven_ = now;
      return CheckLocksHeld(answer);
    case Asked::kClaim: {
      parts_.attempt.metrics->outbox_claim.Observe(now - asked_at_);
      if (ahead_ == nullptr) break;
      next_.emplace(std::move(answer));
      next_->whole = next_->rows.rows() < rows_at_once();
      GrowBatch();
      break;
    }
    case Asked::kMark: {
      parts_.attempt.metrics->outbox_mark.Observe(now - asked_at_);
      Batch& front = flight_.front();
      const size_t wanted = front.rows - front.marked;
      front.marked = front.rows;
      return CheckMarked(*front.table, std::move(marks_), answer, wanted, false);
    }
  }
  return absl::OkStatus();
}

absl::Status PollSession::AskNext() {
  if (positions() && committing_ == nullptr) RETURN_IF_ERROR(SaveAhead());
  if (asked_ != Asked::kNothing) return absl::OkStatus();
  while (!positions() && !flight_.empty() && acknowledged(flight_.front())) {
    const Batch& front = flight_.front();
    if (front.marked < front.rows) {
      marks_ = MarksOf(*front.table, front.keys, front.marked, front.rows - front.marked);
      return AskAhead(Asked::kMark, marks_.statement);
    }
    if (!front.clean()) break;  // Drain sees to it
    flight_.pop_front();
  }
  if (ahead_ == nullptr || next_) return absl::OkStatus();
  return AskAhead(Asked::kClaim, positions() ? ClaimOfWindow(*ahead_) : ClaimOf(*ahead_));
}

absl::Status PollSession::AskAhead(Asked asked, const postgres::Statement& statement) {
  asked_at_ = parts_.attempt.world->clock().Monotonic();
  RETURN_IF_ERROR(connection_->Send(statement));
  asked_ = asked;
  return absl::OkStatus();
}

absl::Status PollSession::FinishAsked(const TableSession& connection, bool hurries) {
  if (asked_ == Asked::kNothing || &connection != connection_.get()) return absl::OkStatus();
  const Asked asked = std::exchange(asked_, Asked::kNothing);
  // What is sent next cancels it.
  if (asked != Asked::kMark && hurries) return absl::OkStatus();
  auto answer = asked == Asked::kMark ? AwaitHurried(*connection_, hurries) : Await(*connection_);
  RETURN_IF_ERROR(answer.status());
  return TakeAnswer(asked, *std::move(answer));
}

// After a failure or an interruption: what is acknowledged is marked, so that it is not repeated.
absl::Status PollSession::Salvage(const absl::Status& why) {
  ahead_ = nullptr;
  next_.reset();
  const bool interrupted = why.ok() || absl::IsCancelled(why);
  if (flight_.empty()) return interrupted ? absl::OkStatus() : why;
  parts_.attempt.board->Show(engine::Activity::kSettling);
  const absl::Duration timeout = engine::RuntimeOf(config()).shutdown_timeout * kSettleShare;
  const absl::Status flushed =
      committing_ == nullptr ? duties_->Flush(timeout) : sink_->transactions()->Abort(timeout);
  absl::Status marked = SalvageMarks();
  bool handed_back = false;
  for (Batch& batch : flight_) {
    TakeRefused(&batch);
    if (marked.ok()) marked = NoteFailed(&batch, true);
    handed_back |= batch.handed_back;
    if (!marked.ok() && batch.handed_back)
      log::Warn("the attempt of a row that was refused could not be noted",
                {{"table", batch.table->name}, {"error", marked.message()}});
  }
  flight_.clear();
  // The row is not why it was not noted: it is tried again as it is.
  if (handed_back && !marked.ok() && engine::MayPass(marked)) return marked;
  if (!interrupted) return why;
  RETURN_IF_ERROR(flushed);
  return marked;
}

absl::Status PollSession::SalvageMarks() {
  RETURN_IF_ERROR(FinishAsked(*connection_, true));
  if (positions()) return committing_ == nullptr ? SalvagePositions() : absl::OkStatus();
  absl::flat_hash_set<std::string> held;
  for (Batch& batch : flight_) {
    const size_t from = batch.marked, acknowledged = Acknowledged(batch);
    if (acknowledged > from) {
      batch.marked = acknowledged;
      RETURN_IF_ERROR(Mark(*batch.table, batch.keys, from, acknowledged - from, true));
    }
    if (batch.table->counts_attempts()) RETURN_IF_ERROR(MarkApart(batch, &held));
  }
  return absl::OkStatus();
}

}  // namespace walduct::poll
