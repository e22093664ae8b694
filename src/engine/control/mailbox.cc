#include "engine/control/mailbox.h"

#include <algorithm>
#include <utility>

namespace walduct::engine {

void Mailbox::Post(Command command) {
  const MutexLock lock(mutex_);
  commands_.erase(std::remove(commands_.begin(), commands_.end(), command), commands_.end());
  commands_.push_back(command);
  filled_.store(true, std::memory_order_release);
  wake_.Signal();  // under the lock: after the command was taken, nobody would drain it
}

std::vector<Command> Mailbox::TakeAll() {
  if (!filled_.load(std::memory_order_acquire)) return {};
  const MutexLock lock(mutex_);
  wake_.Drain();
  filled_.store(false, std::memory_order_relaxed);
  return std::exchange(commands_, {});
}

}  // namespace walduct::engine
