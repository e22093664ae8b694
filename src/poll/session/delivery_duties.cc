#include "poll/session/delivery_duties.h"

#include <algorithm>

#include "base/status_macros.h"
#include "sink/sink.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kLongWait = absl::Seconds(1);
// The loop turns at least this often; one that is later than this counts as having stood still,
// which is not longer than the lease of the sink's permit.
constexpr absl::Duration kBeat = absl::Milliseconds(100);
constexpr absl::Duration kStandstill = absl::Milliseconds(300);

}  // namespace

DeliveryDuties::DeliveryDuties(const Parts& parts)
    : parts_(parts),
      meter_({.clock = parts.environment.clock,
              .sink = parts.sink,
              .tracker = parts.tracker,
              .metrics = parts.metrics}),
      destinations_(&parts.metrics->destinations, parts.environment.clock),
      report_(*parts.environment.clock, *parts.metrics) {}

void DeliveryDuties::BeginOwning() {
  turned_ = parts_.environment.clock->Monotonic();
  Believe();
}

void DeliveryDuties::Believe() {
  doubts_ = false;
  parts_.sink->RenewPermit();
}

void DeliveryDuties::Beat() {
  if (!turned_) return;
  const absl::Duration now = parts_.environment.clock->Monotonic();
  if (now - *turned_ > kStandstill) doubts_ = true;
  turned_ = now;
  if (!doubts_) parts_.sink->RenewPermit();
}

absl::Status DeliveryDuties::Turn() {
  Beat();
  parts_.control->Take();
  parts_.board->Beat();
  const absl::Status polled = parts_.sink->Poll(*this);
  if (!polled.ok()) parts_.metrics->delivery_errors.Add();
  meter_.Turn({.unread = false, .heard = true});
  report_.Turn();
  return polled;
}

absl::Status DeliveryDuties::TurnAndWait(int fd, absl::Duration at_most, engine::WaitReason wait,
                                         int other) {
  parts_.board->WaitsFor(parts_.control->holding() ? engine::WaitReason::kCommand : wait);
  parts_.environment.poller->WaitReadable(
      {fd, other, parts_.sink->ready_fd(), parts_.control->fd()},
      turned_ ? std::min(at_most, kBeat) : at_most);
  return Turn();
}

absl::Status DeliveryDuties::Flush(absl::Duration timeout) {
  Clock& clock = *parts_.environment.clock;
  const absl::Duration deadline = clock.Monotonic() + timeout;
  while (true) {
    Beat();
    const absl::Duration begin = clock.Monotonic();
    const absl::Duration step = std::min(deadline - begin, kBeat);
    const absl::Status flushed = parts_.sink->Flush(*this, step);
    if (beside_flush_ && !beside_flush_().ok()) doubts_ = true;
    // A sink that gives up early knows that waiting is useless, and what is held back stays so.
    const bool waited = step > absl::ZeroDuration() && clock.Monotonic() - begin >= step;
    if (!absl::IsDeadlineExceeded(flushed) || !waited || doubts_)
      return sink::EndOfFlush(flushed, *parts_.sink, *this);
  }
}

// An interruption must not wait for a sink that is away: the row is read again by the next session.
absl::Status DeliveryDuties::WaitForRoom() {
  if (interrupted()) return absl::CancelledError("interrupted");
  RETURN_IF_ERROR(
      TurnAndWait(beside_fd_ ? beside_fd_() : -1, kLongWait, engine::WaitReason::kRoom));
  return beside_ ? beside_() : absl::OkStatus();
}

absl::Status DeliveryDuties::WaitForSchemaId() {
  if (interrupted()) return absl::CancelledError("interrupted");
  const event::SchemaIdSources& ids = parts_.schema_ids;
  const bool key = ids.key != nullptr && !ids.key->WaitingFor().empty();
  const event::SchemaIds* const asked = key ? ids.key : ids.value;
  RETURN_IF_ERROR(TurnAndWait(asked == nullptr ? -1 : asked->ready_fd(), kLongWait,
                              engine::WaitReason::kSchemaId));
  return beside_ ? beside_() : absl::OkStatus();
}

void DeliveryDuties::OnAcknowledged(sink::Ticket ticket, uint32_t count) {
  meter_.OnAcknowledged(count);
  parts_.tracker->OnAcknowledged(ticket, count);
  if (parts_.tracker->acknowledged(ticket)) destinations_.OnAcknowledged(ticket);
  if (parts_.board->has_open_error()) parts_.board->SolveError();
}

absl::Status DeliveryDuties::OnRefused(const event::Record& record, sink::Ticket ticket,
                                       const absl::Status& why) {
  if (refused_ == nullptr) return why;
  bool settled = false;
  const absl::Status taken = refused_->Take(record, ticket, why, &settled);
  if (!taken.ok() && !absl::IsResourceExhausted(taken))
    unsettled_ = Refused{.number = record.id.lsn, .why = taken};
  RETURN_IF_ERROR(taken);
  if (settled) OnAcknowledged(ticket, 1);
  return absl::OkStatus();
}

}  // namespace walduct::poll
