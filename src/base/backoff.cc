#include "base/backoff.h"

#include <algorithm>

namespace walduct {

absl::Duration Backoff::Next() {
  const absl::Duration delay = next_;
  next_ = std::min(next_ * 2, maximum_);
  // xorshift64: any spread will do, the seed is injected for tests.
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return delay - delay * static_cast<double>(state_ % 1024) / 4096.0;
}

}  // namespace walduct
