#include "base/worker_thread.h"

#include <algorithm>
#include <utility>

namespace walduct {

WorkerThread::WorkerThread(Mutex& mutex, std::function<void()> work) : mutex_(mutex) {
  if (work != nullptr) Start(std::move(work));
}

void WorkerThread::Start(std::function<void()> work) {
  if (!thread_.joinable()) thread_ = std::thread(std::move(work));
}

void WorkerThread::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool WorkerThread::Pause(absl::Duration duration) {
  MutexLock lock(mutex_);
  return AwaitFor(lock, duration, [] { return false; });
}

// A clock must not overflow.
std::chrono::nanoseconds WorkerThread::Bounded(absl::Duration duration) {
  return absl::ToChronoNanoseconds(std::min(duration, absl::Hours(24 * 365)));
}

}  // namespace walduct
