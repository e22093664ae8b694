#include "delivery/progress/delivery_meter.h"

#include <optional>
#include <utility>

#include "absl/time/time.h"

namespace walduct::delivery {
namespace {

using metrics::EventKind;

uint64_t Microseconds(absl::Time time) { return static_cast<uint64_t>(absl::ToUnixMicros(time)); }

uint64_t ChangesOf(metrics::ConnectorMetrics& metrics) {
  uint64_t changes = 0;
  for (const EventKind kind : {EventKind::kCreate, EventKind::kUpdate, EventKind::kDelete,
                               EventKind::kTruncate, EventKind::kMessage})
    changes += metrics.Seen(kind).value();
  return changes;
}

}  // namespace

void DeliveryMeter::OnAcknowledged(uint32_t count) {
  acknowledged_ += count;
  parts_.metrics->records_acknowledged.Add(count);
}

DeliveryMeter::DeliveryMeter(const Parts& parts)
    : parts_(parts),
      changes_(ChangesOf(*parts.metrics)),
      reads_(parts.metrics->Seen(EventKind::kRead).value()) {
  // Of a session before.
  parts.metrics->open_commit_us.Set(0);
}

DeliveryMeter::~DeliveryMeter() {
  parts_.metrics->in_flight_records.Set(0);
  parts_.metrics->in_flight_bytes.Set(0);
}

void DeliveryMeter::Turn(const Reading& reading) {
  metrics::ConnectorMetrics& metrics = *parts_.metrics;
  const sink::Load held = parts_.sink->load();
  metrics.in_flight_bytes.Set(held.bytes);
  metrics.in_flight_limit_bytes.Set(held.limit_bytes);
  metrics.in_flight_records.Set(parts_.tracker->in_flight_records());
  const absl::Time now = parts_.clock->Now();
  CountChanges(now);
  OnSafe(now);
  const std::optional<Milestone>& safe = parts_.tracker->safe();
  const bool streamed = safe && safe->snapshot == event::SnapshotPhase::kNone;
  const uint64_t read = reading.unread ? metrics.last_source_time_us.value() : 0;
  metrics.lag.Show({.oldest_us = OldestHeld(),
                    .unread_us = static_cast<int64_t>(read),
                    .covered = reading.covered,
                    .complete_us = streamed ? safe->commit_time_us : 0,
                    .heard = reading.heard},
                   now);
}

// In flight; else being handed over, which may wait for a lock, a schema or room.
int64_t DeliveryMeter::OldestHeld() const {
  const int64_t in_flight = parts_.tracker->oldest_commit_us();
  if (in_flight > 0) return in_flight;
  return static_cast<int64_t>(parts_.metrics->open_commit_us.value());
}

bool DeliveryMeter::MustAsk() {
  const absl::Duration now = parts_.clock->Monotonic();
  if (now < ask_at_) return false;
  ask_at_ = now + absl::Seconds(1);
  const metrics::LagBoard& lag = parts_.metrics->lag;
  return lag.WantsWord() || lag.UnsentSince(parts_.clock->Now()).has_value();
}

// Acknowledgements count once the safe position has passed what they are of: it tells the time of
// its commit.
void DeliveryMeter::OnSafe(absl::Time now) {
  const std::optional<Milestone>& safe = parts_.tracker->safe();
  if (!safe || safe == safe_) return;
  safe_ = safe;
  const uint64_t acknowledged = std::exchange(acknowledged_, 0);
  if (safe->snapshot != event::SnapshotPhase::kNone || safe->commit_time_us <= 0) return;
  if (acknowledged == 0) return;
  parts_.metrics->delivery_latency.Observe(now - absl::FromUnixMicros(safe->commit_time_us),
                                           acknowledged);
}

void DeliveryMeter::CountChanges(absl::Time now) {
  metrics::ConnectorMetrics& metrics = *parts_.metrics;
  const uint64_t reads = metrics.Seen(EventKind::kRead).value();
  if (std::exchange(reads_, reads) != reads) metrics.last_read_us.Set(Microseconds(now));
  const uint64_t changes = ChangesOf(metrics);
  if (std::exchange(changes_, changes) == changes) return;
  metrics.last_change_us.Set(Microseconds(now));
  const auto source_time_us = static_cast<int64_t>(metrics.last_source_time_us.value());
  if (source_time_us > 0) metrics.source_lag.Observe(now - absl::FromUnixMicros(source_time_us));
}

}  // namespace walduct::delivery
