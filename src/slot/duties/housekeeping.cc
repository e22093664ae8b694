#include "slot/duties/housekeeping.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "sink/sink.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kSettlePoll = absl::Milliseconds(20);
constexpr absl::Duration kBlockedWait = absl::Seconds(1);
// A server that has said nothing for so long is asked to; one that works answers at once.
constexpr absl::Duration kSilence = absl::Seconds(5);
constexpr absl::Duration kAnswer = absl::Seconds(2);
// Of the time to settle in, for the sink; the rest is for the store.
constexpr double kSinkShare = 0.7;

}  // namespace

void Housekeeping::AttachStream(replication::WalSource* source, absl::Duration status_interval,
                                SessionWatch* session, bool confirms) {
  source_ = source;
  session_ = session;
  confirms_ = confirms;
  status_interval_ = status_interval;
  heard_at_ = parts_.clock->Monotonic();
  ask_again_at_ = heard_at_ + kSilence;
  turned_at_ = heard_at_;
  asked_at_.reset();
  parts_.metrics->lag.Streams(true);
  ReplySoon();
}

void Housekeeping::DetachStream() {
  parts_.metrics->lag.Streams(false);
  source_ = nullptr;
  session_ = nullptr;
}

bool Housekeeping::MayRead(engine::WaitReason otherwise) {
  const bool held = parts_.control->holding();
  reads_ = held ? engine::WaitReason::kCommand : otherwise;
  const bool full = !parts_.sink->HasCapacity();
  parts_.board->WaitsFor(held   ? engine::WaitReason::kCommand
                         : full ? engine::WaitReason::kRoom
                                : otherwise);
  return !held && !full;
}

absl::Status Housekeeping::Turn() {
  parts_.control->Take();
  RETURN_IF_ERROR(parts_.ownership->Beat());
  const bool unread = std::exchange(unread_, false);
  RETURN_IF_ERROR(CheckUnreadStream(unread));
  RETURN_IF_ERROR(PollSink());
  RETURN_IF_ERROR(StorePosition());
  if (const auto& stored = parts_.checkpointer->stored()) parts_.outbox->OnStored(*stored);
  AskIfSilent(unread);
  const absl::Status sent = SendStatusIfDue();
  ShowPositions();
  Measure();
  report_.Turn();
  if (stall_ != nullptr)
    stall_->Turn({.received = source_ == nullptr ? Lsn() : std::max(received_, FlushLsn()),
                  .reads = reads_,
                  .frames = frames_,
                  .unread = unread,
                  .unanswered_since = UnansweredSince()});
  RETURN_IF_ERROR(sent);
  return session_ == nullptr ? absl::OkStatus() : session_->Turn();
}

absl::Status Housekeeping::PollSink() {
  absl::Status polled = parts_.sink->Poll(*this);
  if (!polled.ok()) parts_.metrics->delivery_errors.Add();
  return polled;
}

void Housekeeping::Measure() {
  if (const auto& safe = parts_.tracker->safe()) reading_.covered = safe->commit_end;
  meter_.Turn(reading_);
  reading_.heard = false;
  if (source_ != nullptr && meter_.MustAsk()) AskForReply();
  if (parts_.board->has_open_error() && HasPassedError()) parts_.board->SolveError();
}

// Who does not read does not hear: that time does not count. It is no word of the server either:
// of a sink that is full for a moment again and again one that hangs would never be told.
void Housekeeping::AskIfSilent(bool unread) {
  const absl::Duration now = parts_.clock->Monotonic();
  const absl::Duration deaf = unread ? now - turned_at_ : absl::ZeroDuration();
  turned_at_ = now;
  if (source_ == nullptr || reading_.heard || reads_ != engine::WaitReason::kNothing) {
    heard_at_ = now;
    ask_again_at_ = now + kSilence;
    asked_at_.reset();
    return;
  }
  heard_at_ += deaf;
  ask_again_at_ += deaf;
  if (asked_at_) *asked_at_ += deaf;
  if (now < ask_again_at_) return;
  ask_again_at_ = now + kSilence;
  if (!asked_at_) asked_at_ = now;
  AskForReply();
}

std::optional<absl::Duration> Housekeeping::UnansweredSince() const {
  if (!asked_at_ || parts_.clock->Monotonic() - *asked_at_ < kAnswer) return std::nullopt;
  return heard_at_;
}

// The stream is beyond where it was when the error came, and what lies before is done with. Of a
// snapshot: rows have arrived since, unless it was one of them that could not be published.
bool Housekeeping::HasPassedError() const {
  if (parts_.checkpointer->fails()) return false;
  const engine::ErrorPlace& place = parts_.board->error_place();
  // The next session knows the position, too: only one that is stored, by it or at its start,
  // proves that the store is there.
  if (place.of_store && parts_.checkpointer->saves() == 0) return false;
  if (source_ == nullptr) return delivered_ && !place.of_change;
  const std::optional<delivery::Milestone>& safe = parts_.tracker->safe();
  if (safe && safe->commit_end > place.received) return true;
  return std::max(received_, FlushLsn()) >= place.received && parts_.tracker->idle() &&
         parts_.metrics->open_commit_us.value() == 0;
}

absl::Status Housekeeping::StorePosition() {
  ASSIGN_OR_RETURN(const bool committed, commits_.Settle(parts_.clock->Monotonic()));
  return committed ? PollSink() : absl::OkStatus();
}

// Nothing is read then, so nothing else would tell that the slot may be another instance's by now.
absl::Status Housekeeping::CheckUnreadStream(bool unread) {
  if (!unread || source_ == nullptr || !source_->Ended()) return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, "stream_ended",
               "the server closed the replication stream while nothing could be read");
}

void Housekeeping::ShowPositions() {
  parts_.metrics->received_lsn.Set(received_);
  parts_.metrics->flushed_lsn.Set(reported_);
  parts_.metrics->stored_lsn.Set(FlushLsn());
}

void Housekeeping::Wait(int source_fd, absl::Duration at_most) {
  const absl::Duration now = parts_.clock->Monotonic();
  absl::Duration timeout = std::min(at_most, Ownership::kBeat);
  // Do not wake for a position that cannot be committed yet.
  const bool storable = !commits_.used() || parts_.checkpointer->saving() || commits_.point();
  if (storable) timeout = std::min(timeout, parts_.checkpointer->next_due() - now);
  if (source_ != nullptr) timeout = std::min(timeout, status_due_ - now);
  // Nobody takes what is ready beside the stream before the stream may be read again.
  const std::array<int, 2> beside = unread_ ? std::array<int, 2>{-1, -1} : beside_fds_;
  parts_.poller->WaitReadable({source_fd, parts_.sink->ready_fd(), parts_.store->ready_fd(),
                               parts_.control->fd(), beside[0], beside[1]},
                              timeout);
  parts_.control->Take();
}

void Housekeeping::Nap(int source_fd, absl::Duration nap) {
  parts_.poller->WaitReadable({source_fd, parts_.control->fd(), beside_fds_[0], beside_fds_[1]},
                              nap);
  parts_.control->Take();
}

void Housekeeping::WaitToRead() { WaitUnread(-1, kBlockedWait); }

void Housekeeping::WaitUnread(int fd, absl::Duration at_most) {
  unread_ = true;
  Wait(fd, at_most);
}

void Housekeeping::AskForReply() {
  ask_for_reply_ = true;
  ReplySoon();
}

Lsn Housekeeping::FlushLsn() const {
  const auto& stored = parts_.checkpointer->stored();
  return stored ? stored->commit_end : Lsn();
}

absl::Status Housekeeping::SendStatusIfDue() {
  if (source_ == nullptr) return absl::OkStatus();
  const absl::Duration now = parts_.clock->Monotonic();
  // No position at all leaves the slot alone (ProcessStandbyReplyMessage).
  const Lsn flush = confirms_ ? std::max(FlushLsn(), reported_) : Lsn();
  if (now < status_due_ && flush == reported_) return absl::OkStatus();
  RETURN_IF_ERROR(source_->SendStatus(std::max(received_, flush), flush, ask_for_reply_));
  reported_ = flush;
  ask_for_reply_ = false;
  status_due_ = now + status_interval_;
  return absl::OkStatus();
}

absl::Status Housekeeping::WaitForRoom() {
  // An interruption must not wait for a broker that is away: the change is given up here and read
  // again after the next start.
  if (interrupted()) return absl::CancelledError("interrupted");
  reads_ = engine::WaitReason::kRoom;
  parts_.board->WaitsFor(reads_);
  WaitToRead();
  return Turn();
}

absl::Status Housekeeping::WaitForSchemaId() {
  if (interrupted()) return absl::CancelledError("interrupted");
  reads_ = engine::WaitReason::kSchemaId;
  parts_.board->WaitsFor(reads_);
  const event::SchemaIdSources& ids = parts_.schema_ids;
  // At most one of the two is being asked for.
  const bool key = ids.key != nullptr && !ids.key->WaitingFor().empty();
  const event::SchemaIds* const asked = key ? ids.key : ids.value;
  unread_ = true;
  Wait(asked == nullptr ? -1 : asked->ready_fd(), kBlockedWait);
  return Turn();
}

void Housekeeping::OnAcknowledged(sink::Ticket ticket, uint32_t count) {
  if (stall_ != nullptr) stall_->OnAcknowledged(count, parts_.tracker->is_beside(ticket));
  meter_.OnAcknowledged(count);
  delivered_ = true;
  commits_.OnAcknowledged(ticket, count);
  if (parts_.tracker->acknowledged(ticket)) destinations_.OnAcknowledged(ticket);
}

absl::Status Housekeeping::OnRefused(const event::Record& record, sink::Ticket ticket,
                                     const absl::Status& why) {
  if (refused_ == nullptr) return why;
  bool settled = false;
  RETURN_IF_ERROR(refused_->Take(record, ticket, why, &settled));
  if (settled) OnAcknowledged(ticket, 1);
  return absl::OkStatus();
}

absl::Status Housekeeping::Drain(absl::Duration stop_timeout) {
  while (!parts_.tracker->idle() || !parts_.checkpointer->Covers(parts_.tracker->safe())) {
    if (interrupted()) return Settle(stop_timeout);
    const bool storable = parts_.tracker->idle() || commits_.point();
    if (storable && parts_.checkpointer->last_error().ok()) parts_.checkpointer->MakeDue();
    RETURN_IF_ERROR(Turn());
    Wait(-1, kSettlePoll);
  }
  return absl::OkStatus();
}

absl::Status Housekeeping::FlushUntil(absl::Duration deadline) {
  while (true) {
    RETURN_IF_ERROR(parts_.ownership->Beat());
    const absl::Duration begin = parts_.clock->Monotonic();
    const absl::Duration step = std::min(deadline - begin, Ownership::kBeat);
    absl::Status flushed = parts_.sink->Flush(*this, step);
    // A sink that gives up early knows that waiting is useless.
    const bool waited = step > absl::ZeroDuration() && parts_.clock->Monotonic() - begin >= step;
    if (!absl::IsDeadlineExceeded(flushed) || !waited)
      return sink::EndOfFlush(flushed, *parts_.sink, *this);
  }
}

absl::Status Housekeeping::Settle(absl::Duration timeout) {
  absl::Status settled = SettleWithin(timeout);
  Measure();
  return settled;
}

absl::Status Housekeeping::SettleWithin(absl::Duration timeout) {
  const absl::Duration deadline = parts_.clock->Monotonic() + timeout;
  const absl::Status flushed = FlushUntil(parts_.clock->Monotonic() + timeout * kSinkShare);
  // Whatever was acknowledged is stored, even when not all was.
  parts_.checkpointer->MakeDue();
  RETURN_IF_ERROR(StorePosition());
  while (!commits_.Settled() && parts_.clock->Monotonic() < deadline) {
    parts_.poller->WaitReadable({parts_.store->ready_fd()}, kSettlePoll);
    RETURN_IF_ERROR(parts_.ownership->Beat());
    RETURN_IF_ERROR(StorePosition());
  }
  ReplySoon();
  RETURN_IF_ERROR(SendStatusIfDue());
  RETURN_IF_ERROR(flushed);
  if (!commits_.Settled()) {
    const absl::Status& error = parts_.checkpointer->last_error();
    return error.ok() ? Error(absl::StatusCode::kDeadlineExceeded, "offset_store_slow",
                              "the offset could not be stored in time")
                      : error;
  }
  return absl::OkStatus();
}

}  // namespace walduct::slot
