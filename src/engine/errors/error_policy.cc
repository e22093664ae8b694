#include "engine/errors/error_policy.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace walduct::engine {
namespace {

struct Rule {
  absl::StatusCode code;
  Action action;
  ExitCode exit_code;
};

// ARCHITECTURE.md prints this table; a test compares them.
constexpr std::array<Rule, 16> kRules = {{
    {absl::StatusCode::kUnavailable, Action::kRetry, kExitFailure},
    {absl::StatusCode::kDeadlineExceeded, Action::kRetry, kExitFailure},
    {absl::StatusCode::kAborted, Action::kRetrySoon, kExitPrerequisite},
    {absl::StatusCode::kFailedPrecondition, Action::kFail, kExitPrerequisite},
    {absl::StatusCode::kNotFound, Action::kFail, kExitPrerequisite},
    {absl::StatusCode::kAlreadyExists, Action::kFail, kExitPrerequisite},
    {absl::StatusCode::kUnauthenticated, Action::kFail, kExitPrerequisite},
    {absl::StatusCode::kPermissionDenied, Action::kFail, kExitPrerequisite},
    {absl::StatusCode::kInvalidArgument, Action::kFail, kExitFailure},
    {absl::StatusCode::kOutOfRange, Action::kFail, kExitFailure},
    {absl::StatusCode::kResourceExhausted, Action::kFail, kExitFailure},
    {absl::StatusCode::kUnimplemented, Action::kFail, kExitFailure},
    {absl::StatusCode::kInternal, Action::kFail, kExitFailure},
    {absl::StatusCode::kUnknown, Action::kFail, kExitFailure},
    {absl::StatusCode::kCancelled, Action::kFail, kExitNotCaughtUp},
    {absl::StatusCode::kDataLoss, Action::kFail, kExitDataSafety},
}};

// Reasons that mean: going on could lose or invent changes.
constexpr std::array<absl::string_view, 10> kDataSafetyReasons = {
    "slot_lost",        "position_lost",     "position_ahead",  "position_diverged",
    "position_unknown", "position_skipped",  "server_upgraded", "system_mismatch",
    "lost_slot_held",   "lost_slot_not_held"};

// Reasons that stop a start, but are waited for once the connector ran.
constexpr std::array<absl::string_view, 18> kGrantedAgain = {
    "password_refused",
    "kafka_authentication_failed",
    "topic_authorization_failed",
    "cluster_authorization_failed",
    "transactional_id_authorization_failed",
    "redis_authentication_failed",
    "redis_permission_denied",
    "redis_wrong_type",
    "nats_authentication_failed",
    "nats_permission_denied",
    "rabbitmq_authentication_failed",
    "rabbitmq_permission_denied",
    "rabbitmq_tls_failed",
    "rabbitmq_virtual_host",
    "aws_credentials_refused",
    "aws_credentials_expired",
    "aws_credentials_missing",
    "aws_tls_failed"};

const Rule& RuleFor(absl::StatusCode code) {
  const auto rule =
      std::find_if(kRules.begin(), kRules.end(), [code](const Rule& r) { return r.code == code; });
  static constexpr Rule kDefault = {absl::StatusCode::kUnknown, Action::kFail, kExitFailure};
  return rule == kRules.end() ? kDefault : *rule;
}

}  // namespace

Action ActionFor(const absl::Status& status, Phase phase) {
  const std::string reason = ErrorReason(status);
  if (reason == "batch_refused" || reason == "relation_renamed") return Action::kRetryNow;
  // A name that does not resolve at the first attempt is a typing error, later it is an outage of
  // the resolver.
  if (phase == Phase::kStarting && reason == "unknown_host") return Action::kFail;
  // It was right once: a password is being changed and the new one is not in its file yet, rights
  // in Kafka, Redis or NATS are being set anew, or somebody has put a key where a stream was.
  const bool is_granted_again =
      std::find(kGrantedAgain.begin(), kGrantedAgain.end(), reason) != kGrantedAgain.end();
  if (phase != Phase::kStarting && is_granted_again) return Action::kRetry;
  return RuleFor(status.code()).action;
}

bool MayPass(const absl::Status& status) {
  return absl::IsCancelled(status) || ActionFor(status, Phase::kRunning) != Action::kFail;
}

ExitCode ExitCodeFor(const absl::Status& status) {
  const std::string reason = ErrorReason(status);
  if (std::find(kDataSafetyReasons.begin(), kDataSafetyReasons.end(), reason) !=
      kDataSafetyReasons.end()) {
    return kExitDataSafety;
  }
  if (reason == "unknown_host") return kExitPrerequisite;
  if (reason == "outbox_strict") return kExitConfiguration;
  return RuleFor(status.code()).exit_code;
}

ExitCode Worse(ExitCode a, ExitCode b) {
  constexpr std::array<ExitCode, 6> kFromTheWorst = {kExitDataSafety,   kExitConfiguration,
                                                     kExitPrerequisite, kExitFailure,
                                                     kExitNotCaughtUp,  kExitClean};
  const auto rank = [&kFromTheWorst](ExitCode code) {
    return std::find(kFromTheWorst.begin(), kFromTheWorst.end(), code);
  };
  return rank(a) < rank(b) ? a : b;
}

}  // namespace walduct::engine
