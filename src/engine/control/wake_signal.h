// WakeSignal: a file descriptor that becomes readable when another thread has something to say.
// Signal from any thread and from a signal handler; Drain by the thread that waits.
#pragma once

namespace walduct::engine {

class WakeSignal {
 public:
  WakeSignal();
  ~WakeSignal();
  WakeSignal(const WakeSignal&) = delete;
  WakeSignal& operator=(const WakeSignal&) = delete;

  void Signal();
  // Makes fd() unreadable. Call it before looking at what was said: what comes in between signals
  // again.
  void Drain();
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace walduct::engine
