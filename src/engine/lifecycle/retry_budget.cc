#include "engine/lifecycle/retry_budget.h"

#include <algorithm>

#include "engine/configuration/runtime_options.h"

namespace walduct::engine {
namespace {

constexpr absl::Duration kFirstRetry = absl::Seconds(1);
// Beyond its timeout a server notices at its next look.
constexpr absl::Duration kSenderMargin = absl::Seconds(15);

}  // namespace

RetryBudget::RetryBudget(const RuntimeOptions& runtime, uint64_t seed)
    : retries_(runtime.errors_max_retries),
      backoff_(kFirstRetry, std::max(runtime.retry_wait, kFirstRetry), seed) {}

void RetryBudget::Reset() {
  failures_ = 0;
  soon_failures_ = 0;
  soon_waited_ = absl::ZeroDuration();
  backoff_.Reset();
}

std::optional<absl::Duration> RetryBudget::Next(Action action, const SoonRetries& soon) {
  if (action == Action::kFail) return std::nullopt;
  if (action == Action::kRetryNow) return absl::ZeroDuration();
  if (action == Action::kRetrySoon) {
    if (soon.given) return soon_failures_++ < soon.most ? std::optional(soon.delay) : std::nullopt;
    if (soon_waited_ >= std::max(soon.most * soon.delay, soon.held + kSenderMargin))
      return std::nullopt;
    const absl::Duration delay = std::min(soon.delay, backoff_.Next());
    soon_waited_ += delay;
    return delay;
  }
  if (retries_ >= 0 && failures_++ >= retries_) return std::nullopt;
  return backoff_.Next();
}

}  // namespace walduct::engine
