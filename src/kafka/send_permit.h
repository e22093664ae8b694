// SendPermit: what keeps an instance that stood still from publishing what has become old.
//
// A process that is stopped (SIGSTOP, a frozen container, a suspended machine, no processor for a
// while) may wake after another instance has taken its slot over. librdkafka's threads wake at the
// same moment as ours and would send what they still have. So they ask first, before every write to
// a broker: the permit is a lease of kLease that the caller renews while it can tell that it is the
// one writer. Once the lease has run out the threads wait until it is renewed, or withdrawn.
//
// Time is what Clock calls monotonic: it goes on while the machine is suspended. Between the
// question and the write lie well under a microsecond; a process that is stopped exactly there may
// send one request late. Only transactions shut that out.
//
// Renew, Keep and Withdraw: one thread. AwaitPermit: any.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "base/environment.h"

namespace walduct::kafka {

class SendPermit {
 public:
  static constexpr absl::Duration kLease = absl::Milliseconds(300);

  explicit SendPermit(const Environment& environment) : environment_(environment) {}

  // For kLease from now. Until the first call sending is free: nothing is at stake.
  void Renew();
  // Of who waits for what the threads send: the same, where a lease has begun and lasts. False: it
  // has run out.
  bool Keep();
  // For good: what has not been sent never will be.
  void Withdraw();
  // Waits while the lease has run out. False: withdrawn.
  bool AwaitPermit();

 private:
  bool Valid() const;

  const Environment environment_;
  std::atomic<int64_t> renewed_ns_{-1};  // -1: never
  std::atomic<bool> withdrawn_{false};
};

// Marks the calling thread, which librdkafka has started: its writes to sockets ask permit. Null:
// they do not.
void GuardThread(SendPermit* permit);

}  // namespace walduct::kafka
