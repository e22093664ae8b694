// Clock: the only source of time. Wall time for what consumers see, monotonic time for deadlines.
// Thread-safe. Tests inject their own.
#pragma once

#include "absl/time/time.h"

namespace walduct {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() = 0;
  // Time since an arbitrary fixed point; never goes backwards, goes on while the machine is
  // suspended.
  virtual absl::Duration Monotonic() = 0;

  static Clock& Real();
};

}  // namespace walduct
