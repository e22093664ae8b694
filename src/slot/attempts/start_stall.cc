#include "slot/attempts/start_stall.h"

#include "base/error.h"
#include "engine/errors/named_hint.h"

namespace walduct::slot {

void StartStall::Look(const std::string& lock, absl::Duration looked_at) {
  ShowHolder(lock, looked_at);
  if (parts_.patience <= absl::ZeroDuration()) return;
  if (lock.empty()) return End();
  const absl::Duration now = parts_.clock->Monotonic();
  if (!since_) since_ = now;
  if (now - *since_ < parts_.patience || lock == shown_) return;
  if (shown_.empty()) {
    parts_.metrics->stalls.Add();
    parts_.metrics->stalled.Set(1);
  }
  shown_ = lock;
  const absl::Status named = parts_.board->Named(
      Error(absl::StatusCode::kUnavailable, "connector_stalled", lock, engine::LockHint(lock)));
  parts_.board->ShowStall(engine::Stall{.since = parts_.clock->Now() - (now - *since_),
                                        .kind = "database",
                                        .cause = lock,
                                        .hint = ErrorHint(named)});
}

// What no look has seen yet may have been told by the start itself.
void StartStall::ShowHolder(const std::string& lock, absl::Duration looked_at) {
  const engine::WaitReason wait = parts_.board->waits_for();
  if (wait != wait_) {
    wait_ = wait;
    waits_since_ = parts_.clock->Monotonic();
    seen_.clear();
  }
  if (looked_at < waits_since_) return;
  if (!lock.empty() || !seen_.empty()) parts_.board->WaitsOn(lock);
  seen_ = lock;
}

void StartStall::End() {
  since_.reset();
  if (shown_.empty()) return;
  shown_.clear();
  parts_.metrics->stalled.Set(0);
  parts_.board->ShowStall(std::nullopt);
}

}  // namespace walduct::slot
