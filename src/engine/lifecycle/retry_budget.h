// RetryBudget: how long to wait before the next attempt, and whether there is one: failed attempts
// counted against errors.max.retries and slot.max.retries. Pure; data thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "base/backoff.h"
#include "engine/errors/error_policy.h"

namespace walduct::replication {
struct ReplicationOptions;
}

namespace walduct::engine {

struct RuntimeOptions;

class RetryBudget {
 public:
  // seed: of the jitter.
  RetryBudget(const RuntimeOptions& runtime, const replication::ReplicationOptions& replication,
              uint64_t seed);

  // How long the server may hold a slot for a peer that is gone.
  void SetSenderTimeout(absl::Duration timeout) { sender_timeout_ = timeout; }
  // Something went well since the last failure.
  void Reset();
  // Absent: the limit is used up.
  std::optional<absl::Duration> Next(Action action);

 private:
  const int retries_;  // negative: no limit
  const int soon_;
  const absl::Duration soon_delay_;
  const bool soon_given_;
  absl::Duration sender_timeout_;
  absl::Duration soon_waited_;
  int failures_ = 0;
  int soon_failures_ = 0;
  Backoff backoff_;
};

}  // namespace walduct::engine
