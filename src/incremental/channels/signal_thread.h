// SignalThread: looks for signals in channels every signal.poll.interval.ms, on a thread of its
// own.
//
// Thread-safety: as SignalInbox. The destructor waits for the thread, which tells the channels last
// what is done.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "base/worker_thread.h"
#include "incremental/channels/signal_channel.h"
#include "incremental/channels/signal_inbox.h"

namespace walduct::incremental {

class SignalThread final : public SignalInbox {
 public:
  struct Options {
    std::string connector;  // whose log lines these are
    absl::Duration interval;
    Clock* clock = nullptr;  // borrowed
    std::vector<std::unique_ptr<SignalChannel>> channels;
  };
  explicit SignalThread(Options options);

  std::optional<Incoming> Take() override;
  void Done(uint64_t ticket) override;
  int ready_fd() const override { return ready_.fd(); }

 private:
  void Loop();
  void Look(size_t channel);
  void TellDone();
  void OnError(size_t channel, const absl::Status& error);

  const Options options_;
  Wake ready_;
  Mutex mutex_;
  std::deque<Incoming> incoming_ ABSL_GUARDED_BY(mutex_);
  uint64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  // The thread's own.
  uint64_t last_ticket_ = 0;
  std::deque<std::pair<uint64_t, size_t>> handed_out_;  // ticket, channel
  std::vector<absl::Duration> warn_again_;              // by channel

  WorkerThread thread_;  // last: uses all of the above
};

}  // namespace walduct::incremental
