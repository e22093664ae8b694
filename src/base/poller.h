// Poller: the only thing that sleeps, as Clock is the only source of time. Every wait has a bound
// and may end early for no reason (a signal), so callers look again at what they waited for.
// Thread-safe. Simulations inject their own.
#pragma once

#include <initializer_list>

#include "absl/time/time.h"

namespace walduct {

class Poller {
 public:
  virtual ~Poller() = default;

  // Until one of the file descriptors can be read or the timeout passes. Negative descriptors are
  // ignored; at most 8. An infinite timeout is refused.
  virtual void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) = 0;

  // The same for one socket that has something left to send: also returns when it can be read,
  // because a peer whose own output is stuck may not take ours before we have read.
  virtual void WaitWritable(int fd, absl::Duration timeout) = 0;

  // poll(2).
  static Poller& Real();
};

}  // namespace walduct
