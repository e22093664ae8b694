#include "engine/lifecycle/retry_budget.h"

#include <algorithm>

#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "replication/options.h"

namespace walduct::engine {
namespace {

constexpr absl::Duration kFirstRetry = absl::Seconds(1);

}  // namespace

RetryBudget::RetryBudget(const ConnectorOptions& config, uint64_t seed)
    : retries_(config.runtime->errors_max_retries),
      soon_(config.replication->max_retries),
      soon_delay_(config.replication->retry_delay),
      backoff_(kFirstRetry, std::max(config.runtime->retry_wait, kFirstRetry), seed) {}

void RetryBudget::Reset() {
  failures_ = 0;
  soon_failures_ = 0;
  backoff_.Reset();
}

std::optional<absl::Duration> RetryBudget::Next(Action action) {
  if (action == Action::kFail) return std::nullopt;
  if (action == Action::kRetrySoon) {
    if (soon_failures_++ >= soon_) return std::nullopt;
    return std::min(soon_delay_, backoff_.Next());
  }
  if (retries_ >= 0 && failures_++ >= retries_) return std::nullopt;
  return backoff_.Next();
}

}  // namespace walduct::engine
