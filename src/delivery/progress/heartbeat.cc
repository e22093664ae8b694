#include "delivery/progress/heartbeat.h"

#include "base/status_macros.h"

namespace walduct::delivery {

void Heartbeat::Rearm() {
  due_ = parts_.interval > absl::ZeroDuration() ? parts_.clock->Monotonic() + parts_.interval
                                                : absl::InfiniteDuration();
}

absl::Status Heartbeat::Turn() {
  if (due_ == absl::InfiniteDuration() || UntilDue() > absl::ZeroDuration() ||
      !parts_.sink->HasCapacity()) {
    return absl::OkStatus();
  }
  return Beat();
}

absl::Status Heartbeat::Beat() {
  if (due_ == absl::InfiniteDuration()) return absl::OkStatus();
  RETURN_IF_ERROR(parts_.pipeline->PublishHeartbeat());
  if (parts_.action) parts_.action();
  Rearm();
  return absl::OkStatus();
}

absl::Duration Heartbeat::UntilDue() {
  return due_ == absl::InfiniteDuration() ? due_ : due_ - parts_.clock->Monotonic();
}

}  // namespace walduct::delivery
