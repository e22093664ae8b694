// DeliveryMeter: what the metrics say of the way between source and sink: what is in flight, how
// long a record took from its commit to its acknowledgement, and up to which time everything is
// acknowledged. Looks once a turn, not at each record. Data thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "event/position.h"
#include "metrics/connector_metrics.h"
#include "offset/ack_tracker.h"
#include "sink/sink.h"

namespace walduct::engine {

class DeliveryMeter {
 public:
  // All borrowed.
  struct Parts {
    Clock* clock = nullptr;
    const sink::Sink* sink = nullptr;
    const offset::AckTracker* tracker = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
  };
  explicit DeliveryMeter(const Parts& parts);

  void OnAcknowledged(uint32_t count);
  // caught_up: the source has nothing that is not read, as far as is known.
  void Turn(bool caught_up);

 private:
  void OnSafe(absl::Time now);
  void CountChanges(absl::Time now);

  const Parts parts_;
  uint64_t acknowledged_ = 0;  // and not counted yet
  std::optional<event::Position> safe_;
  uint64_t changes_ = 0, reads_ = 0;
};

}  // namespace walduct::engine
