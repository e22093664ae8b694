// DestinationMeter: what the metrics say of each destination (metrics/destination_metrics.h).
// Acknowledgements come by ticket: those of a ticket count once all that was written under it is
// acknowledged. What is in flight when this ends is in flight no more. Data thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "event/record.h"
#include "metrics/destination_metrics.h"

namespace walduct::delivery {

class DestinationMeter {
 public:
  // Borrowed.
  DestinationMeter(metrics::DestinationMetrics* metrics, Clock* clock)
      : metrics_(*metrics), clock_(*clock) {}
  ~DestinationMeter();
  DestinationMeter(const DestinationMeter&) = delete;
  DestinationMeter& operator=(const DestinationMeter&) = delete;

  // Tickets only grow.
  void OnWritten(uint64_t ticket, absl::string_view destination, size_t bytes);
  // Of what was not written.
  void OnNotTaken(absl::string_view destination) { Find(destination)->refused.Add(); }
  // One that was written is handed back. letter: where what stands in its place goes; empty:
  // nothing does.
  void OnRefused(uint64_t ticket, const event::Record& record, absl::string_view letter);
  // All that was written under the ticket so far.
  void OnAcknowledged(uint64_t ticket);

 private:
  // Consecutive or not, of one destination under one ticket.
  struct Run {
    uint64_t ticket;
    metrics::DestinationCounters* of;
    uint64_t records, bytes;
  };
  metrics::DestinationCounters* Find(absl::string_view destination);
  Run* FindRun(uint64_t ticket, const metrics::DestinationCounters* of);
  std::deque<Run>::iterator Begin(uint64_t ticket);

  metrics::DestinationMetrics& metrics_;
  Clock& clock_;
  std::deque<Run> runs_;  // by ticket
  std::string last_name_;
  metrics::DestinationCounters* last_ = nullptr;  // of last_name_
  absl::flat_hash_map<std::string, metrics::DestinationCounters*> known_;
  metrics::DestinationCounters* others_ = nullptr;
};

size_t BytesOf(const event::Record& record);

}  // namespace walduct::delivery
