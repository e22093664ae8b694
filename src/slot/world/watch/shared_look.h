// SharedLook: what one look has found that holds for all who look at the same database.
#pragma once

#include <optional>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "metrics/slot_board.h"

namespace walduct::slot {

struct SharedLook {
  // So long it holds.
  static constexpr absl::Duration kFresh = absl::Seconds(2);

  Mutex mutex;
  std::optional<metrics::OpenTransaction> oldest ABSL_GUARDED_BY(mutex);
  absl::Duration oldest_at ABSL_GUARDED_BY(mutex) = -absl::InfiniteDuration();
  // No session waits for a lock.
  absl::Duration none_waits_at ABSL_GUARDED_BY(mutex) = -absl::InfiniteDuration();
};

}  // namespace walduct::slot
