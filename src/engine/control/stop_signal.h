// StopSignal: asks the process to stop, from a signal handler or another thread. Request is
// async-signal-safe; the file descriptor stays readable from then on, so a waiting loop wakes at
// once. Connectors are stopped by their mailboxes; whoever owns them waits on this.
#pragma once

#include <atomic>

#include "base/wake.h"

namespace walduct::engine {

class StopSignal {
 public:
  void Request() {
    requested_.store(true, std::memory_order_relaxed);
    wake_.Signal();
  }
  bool requested() const { return requested_.load(std::memory_order_relaxed); }
  int fd() const { return wake_.fd(); }

 private:
  std::atomic<bool> requested_{false};
  Wake wake_;
};

}  // namespace walduct::engine
