// Wake: a file descriptor that becomes readable when another thread has something to say. Signal
// from any thread and from a signal handler; Drain by the thread that waits.
#pragma once

#include <memory>

namespace walduct {

class Wake {
 public:
  // CHECKs that a file descriptor is left.
  Wake();
  ~Wake();
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  // Null: no file descriptor is left.
  static std::unique_ptr<Wake> TryMake();

  void Signal();
  // Makes fd() unreadable. Call it before looking at what was said: what comes in between signals
  // again.
  void Drain();
  int fd() const { return fd_; }

 private:
  explicit Wake(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace walduct
