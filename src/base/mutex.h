// Mutex and MutexLock: std::mutex as clang's analysis of locks knows it. A member that it guards
// is ABSL_GUARDED_BY(mutex_), a function that wants it held ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
// where clang compiles, an access without the lock is an error (-Wthread-safety).
#pragma once

#include <mutex>

#include "absl/base/thread_annotations.h"

namespace walduct {

class ABSL_LOCKABLE Mutex {
 public:
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  bool try_lock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }
  // For the analysis, in a lambda that is called while the lock is held: it sees no caller.
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds it to the end of its scope, but for what lies between Release and Take.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() ABSL_UNLOCK_FUNCTION() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Release() ABSL_UNLOCK_FUNCTION() { lock_.unlock(); }
  void Take() ABSL_EXCLUSIVE_LOCK_FUNCTION() { lock_.lock(); }
  // For a std::condition_variable.
  std::unique_lock<std::mutex>& of_std() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace walduct
