// SignalQueue: signals that the process was asked for itself, over its listener, on their way to
// the connector's data thread. Nothing holds them beside it: until what one asks for goes with the
// stored position, the end of the process forgets it.
//
// Thread-safety: any thread; an inbox is the data thread's.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/wake.h"
#include "incremental/channels/signal_inbox.h"

namespace walduct::incremental {

class SignalQueue {
 public:
  static constexpr size_t kMost = 1000;

  // Its number; absent: so many are waiting already.
  std::optional<uint64_t> Put(RawSignal signal);
  // What it asked for goes with the stored position.
  bool IsDone(uint64_t number) const;
  // One of that id is not done.
  bool IsWaiting(const std::string& id) const;

  // For a session, one at a time: what the one before took and did not settle comes again. beside:
  // what comes from elsewhere; may be null.
  static std::unique_ptr<SignalInbox> Open(std::shared_ptr<SignalQueue> queue,
                                           std::unique_ptr<SignalInbox> beside);

 private:
  class Inbox;
  void Attach(Wake* wake);
  std::optional<SignalInbox::Incoming> Take();
  void Done(uint64_t number);

  std::atomic<bool> more_{false};  // one is not taken: asked for with each turn of the stream
  mutable Mutex mutex_;
  std::deque<SignalInbox::Incoming> waiting_ ABSL_GUARDED_BY(mutex_);  // until they are done
  size_t taken_ ABSL_GUARDED_BY(mutex_) = 0;                           // so many of them
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  Wake* wake_ ABSL_GUARDED_BY(mutex_) = nullptr;  // of the inbox that is open
};

}  // namespace walduct::incremental
