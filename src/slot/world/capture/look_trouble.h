// LookTrouble: looks at the server from beside the stream that fail one after the other. Once is
// nothing; what fails twice is shown with its cause and since when, and said again and again: what
// was seen last may be otherwise by now. Not thread-safe; outlives sessions.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "engine/configuration/connector_names.h"
#include "metrics/connector_metrics.h"

namespace walduct::slot {

class LookTrouble {
 public:
  static constexpr int kPatience = 2;
  static constexpr absl::Duration kRepeat = absl::Minutes(5);

  // what: kSlotLook or kCatalogLook.
  explicit LookTrouble(metrics::Beside what) : what_(what) {}

  // A look that was tried. names: for its hint.
  void Saw(const absl::Status& looked, const engine::ConnectorNames& names, Clock& clock,
           metrics::ConnectorMetrics* metrics);
  // Somebody else looks: what failed before says nothing of what fails next.
  void Forget();

 private:
  metrics::Beside what_;
  int failures_ = 0;                       // one after the other
  absl::Time since_;                       // of the first of them
  std::optional<absl::Duration> said_at_;  // absent: it was not said
};

}  // namespace walduct::slot
