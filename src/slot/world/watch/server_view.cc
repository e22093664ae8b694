#include "slot/world/watch/server_view.h"

#include "engine/errors/named_hint.h"

namespace walduct::slot {

absl::Status WithLock(const absl::Status& error, const ServerView& view, Clock& clock) {
  return engine::WithLock(error, view.lock, clock.Monotonic() - view.lock_looked_at);
}

}  // namespace walduct::slot
