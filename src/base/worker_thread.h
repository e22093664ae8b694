// WorkerThread: a thread that works beside the others until its owner ends, and sleeps on what the
// owner's mutex guards. As the owner's last member it is the first to be destroyed: then its end is
// asked for and waited for, so that nothing it uses is gone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <thread>

#include "absl/time/time.h"
#include "base/mutex.h"

namespace walduct {

// Thread-safety: Start and Stop by the owner; the rest from any thread.
class WorkerThread {
 public:
  // The mutex is borrowed. Without work it begins with Start.
  explicit WorkerThread(Mutex& mutex, std::function<void()> work = nullptr);
  ~WorkerThread() { Stop(); }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // Nothing when it has begun.
  void Start(std::function<void()> work);
  // Asks for its end and waits for it.
  void Stop();
  bool stopping() const { return stopping_; }

  // What somebody awaits may have changed. The mutex need not be held.
  void Notify() { changed_.notify_all(); }
  // Sleeps until ready() or until it is to end: then false. The mutex is held by lock, but for the
  // sleep, and when ready is asked.
  template <typename Ready>
  bool Await(MutexLock& lock, Ready ready) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    changed_.wait(lock.of_std(), [this, &ready] { return stopping_ || ready(); });
    return !stopping_;
  }
  // So long at most.
  template <typename Ready>
  bool AwaitFor(MutexLock& lock, absl::Duration most, Ready ready) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    changed_.wait_for(lock.of_std(), Bounded(most),
                      [this, &ready] { return stopping_ || ready(); });
    return !stopping_;
  }
  // Without being ready for anything but its end.
  bool Pause(absl::Duration duration);

 private:
  static std::chrono::nanoseconds Bounded(absl::Duration duration);

  Mutex& mutex_;
  std::condition_variable changed_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace walduct
