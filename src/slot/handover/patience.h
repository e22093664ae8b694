// Patience: how long something has been waited for, and when that is told again. One thread.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "base/clock.h"

namespace walduct::slot {

class Patience {
 public:
  explicit Patience(Clock& clock) : clock_(clock), since_(clock.Monotonic()) {}

  // At once, and then every half a minute.
  bool Tells() {
    constexpr absl::Duration kTell = absl::Seconds(30);
    const absl::Duration now = clock_.Monotonic();
    if (told_ && now < next_) return false;
    told_ = true;
    next_ = now + kTell;
    return true;
  }
  std::string Since() const {
    return absl::FormatDuration(absl::Trunc(so_far(), absl::Seconds(1)));
  }
  absl::Duration so_far() const { return clock_.Monotonic() - since_; }

 private:
  Clock& clock_;
  const absl::Duration since_;
  absl::Duration next_;
  bool told_ = false;
};

}  // namespace walduct::slot
