// SignalInbox: signals that come from outside the database. Seam for tests; the real one is
// SignalThread.
//
// Thread-safety: one caller, the data thread; nothing waits.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "incremental/signals/signal.h"

namespace walduct::incremental {

class SignalInbox {
 public:
  virtual ~SignalInbox() = default;

  struct Incoming {
    uint64_t ticket = 0;               // ascending
    absl::StatusOr<RawSignal> signal;  // an error: something was there that is none
    bool asked = false;                // over the process, and not by a channel
  };
  // The next one.
  virtual std::optional<Incoming> Take() = 0;
  // All up to that ticket need not come again, also after a crash.
  virtual void Done(uint64_t ticket) = 0;
  // Readable when Take may have one; -1: none.
  virtual int ready_fd() const = 0;
};

}  // namespace walduct::incremental
