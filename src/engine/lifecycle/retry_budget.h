// RetryBudget: how long to wait before the next attempt, and whether there is one: failed attempts
// counted against errors.max.retries and slot.max.retries. Pure; data thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "base/backoff.h"
#include "engine/errors/error_policy.h"
#include "engine/lifecycle/attempt.h"

namespace walduct::engine {

struct RuntimeOptions;

class RetryBudget {
 public:
  // seed: of the jitter.
  RetryBudget(const RuntimeOptions& runtime, uint64_t seed);

  // Something went well since the last failure.
  void Reset();
  // Absent: the limit is used up. soon: of what somebody else has in use.
  std::optional<absl::Duration> Next(Action action, const SoonRetries& soon = {});

 private:
  const int retries_;  // negative: no limit
  absl::Duration soon_waited_;
  int failures_ = 0;
  int soon_failures_ = 0;
  Backoff backoff_;
};

}  // namespace walduct::engine
