#include "poll/session/delivery_duties.h"

#include "base/status_macros.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kLongWait = absl::Seconds(1);

}  // namespace

DeliveryDuties::DeliveryDuties(const Parts& parts)
    : parts_(parts),
      meter_({.clock = parts.environment.clock,
              .sink = parts.sink,
              .tracker = parts.tracker,
              .metrics = parts.metrics}),
      report_(*parts.environment.clock, *parts.metrics) {}

absl::Status DeliveryDuties::Turn() {
  parts_.control->Take();
  parts_.board->Beat();
  const absl::Status polled = parts_.sink->Poll(*this);
  if (!polled.ok()) parts_.metrics->delivery_errors.Add();
  meter_.Turn({.unread = false, .heard = true});
  report_.Turn();
  return polled;
}

absl::Status DeliveryDuties::TurnAndWait(int fd, absl::Duration at_most, engine::WaitReason wait) {
  parts_.board->WaitsFor(parts_.control->holding() ? engine::WaitReason::kCommand : wait);
  parts_.environment.poller->WaitReadable({fd, parts_.sink->ready_fd(), parts_.control->fd()},
                                          at_most);
  return Turn();
}

absl::Status DeliveryDuties::AwaitDelivery() {
  while (!parts_.tracker->idle() && !interrupted()) {
    RETURN_IF_ERROR(TurnAndWait(-1, kLongWait, engine::WaitReason::kDelivery));
    if (beside_) RETURN_IF_ERROR(beside_());
  }
  return absl::OkStatus();
}

absl::Status DeliveryDuties::Flush(absl::Duration timeout) {
  return parts_.sink->Flush(*this, timeout);
}

// An interruption must not wait for a sink that is away: the row is read again by the next session.
absl::Status DeliveryDuties::WaitForRoom() {
  if (interrupted()) return absl::CancelledError("interrupted");
  RETURN_IF_ERROR(TurnAndWait(-1, kLongWait, engine::WaitReason::kRoom));
  return beside_ ? beside_() : absl::OkStatus();
}

absl::Status DeliveryDuties::WaitForSchemaId() {
  if (interrupted()) return absl::CancelledError("interrupted");
  const event::SchemaIdSources& ids = parts_.schema_ids;
  const bool key = ids.key != nullptr && !ids.key->WaitingFor().empty();
  const event::SchemaIds* const asked = key ? ids.key : ids.value;
  return TurnAndWait(asked == nullptr ? -1 : asked->ready_fd(), kLongWait,
                     engine::WaitReason::kSchemaId);
}

void DeliveryDuties::OnAcknowledged(sink::Ticket ticket, uint32_t count) {
  meter_.OnAcknowledged(count);
  parts_.tracker->OnAcknowledged(ticket, count);
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
