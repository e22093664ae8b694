// SignalChannel: a place outside the database where signals are put. Used by the thread of
// SignalThread alone.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "incremental/signals/signal.h"

namespace walduct::incremental {

class SignalChannel {
 public:
  virtual ~SignalChannel() = default;
  using Signals = std::vector<absl::StatusOr<RawSignal>>;
  // Those that came since, in order; signal_malformed stands for what is none. An error: it is
  // asked again.
  virtual absl::StatusOr<Signals> Poll() = 0;
  // So many more of those that were handed out need not come again.
  virtual void Done(size_t signals) = 0;
};

}  // namespace walduct::incremental
