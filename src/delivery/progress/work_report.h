// WorkReport: a line a minute while a stream is under load: how many changes, how fast, how late.
// The first one after ten seconds of it, none while little comes. Data thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "base/clock.h"
#include "metrics/connector_metrics.h"

namespace walduct::delivery {

class WorkReport {
 public:
  // All borrowed.
  WorkReport(Clock& clock, const metrics::ConnectorMetrics& metrics);

  // Call it each turn.
  void Turn();

 private:
  struct Count {
    uint64_t changes = 0;
    uint64_t bytes = 0;
  };
  Count Now() const;
  void Say(const Count& count, absl::Duration now);

  Clock& clock_;
  const metrics::ConnectorMetrics& metrics_;
  Count said_;                         // as of the last line, or of the begin of the work
  absl::Duration since_;               // then
  std::optional<absl::Duration> due_;  // absent: nothing comes
};

}  // namespace walduct::delivery
