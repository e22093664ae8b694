// StopSignal: asks every connector to stop, from a signal handler or another thread. Request is
// async-signal-safe; the file descriptor stays readable from then on, so a waiting loop wakes at
// once.
#pragma once

#include <atomic>

namespace walduct::engine {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void Request();
  bool requested() const { return requested_.load(std::memory_order_relaxed); }
  int fd() const { return fd_; }

 private:
  std::atomic<bool> requested_{false};
  int fd_;
};

}  // namespace walduct::engine
