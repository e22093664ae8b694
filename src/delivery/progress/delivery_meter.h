// DeliveryMeter: what the metrics say of the way between source and sink: what is in flight, how
// long a record took from its commit to its acknowledgement, and what is received and not
// acknowledged (metrics/lag_board.h). Looks once a turn, not at each record. Data thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "delivery/settling/ack_tracker.h"
#include "metrics/connector_metrics.h"
#include "sink/sink.h"

namespace walduct::delivery {

class DeliveryMeter {
 public:
  // All borrowed.
  struct Parts {
    Clock* clock = nullptr;
    const sink::Sink* sink = nullptr;
    const AckTracker* tracker = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
  };
  explicit DeliveryMeter(const Parts& parts);
  // Nothing is in flight any more, acknowledged or not: it comes again.
  ~DeliveryMeter();
  DeliveryMeter(const DeliveryMeter&) = delete;
  DeliveryMeter& operator=(const DeliveryMeter&) = delete;

  void OnAcknowledged(uint32_t count);
  // What the reading has come to since the last turn.
  struct Reading {
    bool unread = false;  // more can be read at once, or could when it was left
    bool heard = false;   // the server has said something
    Lsn covered = {};     // everything that ends before is acknowledged; 0/0: as at the beginning
  };
  void Turn(const Reading& reading);
  // The server is to say how far it has sent: it may have what it did not send. Once a second.
  bool MustAsk();

 private:
  void OnSafe(absl::Time now);
  int64_t OldestHeld() const;
  void CountChanges(absl::Time now);

  const Parts parts_;
  uint64_t acknowledged_ = 0;  // and not counted yet
  std::optional<Milestone> safe_;
  uint64_t changes_ = 0, reads_ = 0;
  absl::Duration ask_at_;
};

}  // namespace walduct::delivery
