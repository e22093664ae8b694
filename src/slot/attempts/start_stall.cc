#include "slot/attempts/start_stall.h"

#include "base/error.h"
#include "engine/errors/named_hint.h"

namespace walduct::slot {

void StartStall::Look(const std::string& lock) {
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

void StartStall::End() {
  since_.reset();
  if (shown_.empty()) return;
  shown_.clear();
  parts_.metrics->stalled.Set(0);
  parts_.board->ShowStall(std::nullopt);
}

}  // namespace walduct::slot
