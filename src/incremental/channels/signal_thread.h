// SignalThread: looks for signals in channels every signal.poll.interval.ms, on a thread of its
// own.
//
// Thread-safety: as SignalInbox. The destructor waits for the thread, which tells the channels last
// what is done.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
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
  ~SignalThread() override;
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

  std::optional<Incoming> Take() override;
  void Done(uint64_t ticket) override;
  int ready_fd() const override { return fd_; }

 private:
  void Loop();
  // False: it is to end.
  bool AwaitNext();
  void Look(size_t channel);
  void TellDone();
  void OnError(size_t channel, const absl::Status& error);

  const Options options_;
  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;          // guarded by mutex_
  std::deque<Incoming> incoming_;  // the same
  uint64_t done_ = 0;              // the same
  // The thread's own.
  uint64_t last_ticket_ = 0;
  std::deque<std::pair<uint64_t, size_t>> handed_out_;  // ticket, channel
  std::vector<absl::Duration> warn_again_;              // by channel

  std::thread thread_;  // last: uses all of the above
};

}  // namespace walduct::incremental
