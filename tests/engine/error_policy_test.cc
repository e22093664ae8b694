#include "engine/errors/error_policy.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace walduct::engine {
namespace {

using absl::StatusCode;

TEST(ErrorPolicy, RetriesWhatPassesByItself) {
  EXPECT_EQ(ActionFor(absl::UnavailableError("server restarts"), Phase::kStarting), Action::kRetry);
  EXPECT_EQ(ActionFor(absl::DeadlineExceededError("slow"), Phase::kRunning), Action::kRetry);
  EXPECT_EQ(ActionFor(absl::AbortedError("slot in use"), Phase::kRunning), Action::kRetrySoon);
}

TEST(ErrorPolicy, FAIL_05_WrongPasswordIsNotRetried) {
  const absl::Status status = Error(StatusCode::kUnauthenticated, "wrong_password", "no");
  EXPECT_EQ(ActionFor(status, Phase::kRunning), Action::kFail);
  EXPECT_EQ(ExitCodeFor(status), kExitPrerequisite);
}

TEST(ErrorPolicy, WhatWasGrantedOnceIsWaitedFor) {
  for (const char* reason :
       {"password_refused", "kafka_authentication_failed", "topic_authorization_failed",
        "cluster_authorization_failed", "transactional_id_authorization_failed"}) {
    const absl::Status status = Error(StatusCode::kPermissionDenied, reason, "no");
    EXPECT_EQ(ActionFor(status, Phase::kStarting), Action::kFail) << reason;
    EXPECT_EQ(ActionFor(status, Phase::kRunning), Action::kRetry) << reason;
    EXPECT_EQ(ExitCodeFor(status), kExitPrerequisite) << reason;
  }
}

TEST(ErrorPolicy, WhatTheNextAttemptDoesOtherwiseIsTriedAtOnce) {
  for (const char* reason : {"batch_refused", "relation_renamed"}) {
    const absl::Status status = Error(StatusCode::kUnavailable, reason, "x");
    EXPECT_EQ(ActionFor(status, Phase::kStarting), Action::kRetryNow) << reason;
    EXPECT_EQ(ActionFor(status, Phase::kRunning), Action::kRetryNow) << reason;
  }
}

TEST(ErrorPolicy, UnknownHostIsATypingErrorAtFirstAndAnOutageLater) {
  const absl::Status status = Error(StatusCode::kUnavailable, "unknown_host", "no such host");
  EXPECT_EQ(ActionFor(status, Phase::kStarting), Action::kFail);
  EXPECT_EQ(ActionFor(status, Phase::kRunning), Action::kRetry);
  EXPECT_EQ(ExitCodeFor(status), kExitPrerequisite);
}

TEST(ErrorPolicy, LostPositionsStopToKeepDataSafe) {
  for (const char* reason : {"slot_lost", "position_lost", "position_ahead", "position_unknown",
                             "position_skipped", "position_diverged", "server_upgraded",
                             "system_mismatch", "lost_slot_held", "lost_slot_not_held"}) {
    const absl::Status status = Error(StatusCode::kFailedPrecondition, reason, "x");
    EXPECT_EQ(ExitCodeFor(status), kExitDataSafety) << reason;
    EXPECT_EQ(ActionFor(status, Phase::kRunning), Action::kFail) << reason;
  }
  EXPECT_EQ(ExitCodeFor(absl::DataLossError("short message")), kExitDataSafety);
}

TEST(ErrorPolicy, MissingPrerequisitesHaveTheirOwnExitCode) {
  EXPECT_EQ(ExitCodeFor(absl::FailedPreconditionError("wal_level")), kExitPrerequisite);
  EXPECT_EQ(ExitCodeFor(absl::PermissionDeniedError("select")), kExitPrerequisite);
  EXPECT_EQ(ExitCodeFor(absl::UnavailableError("x")), kExitFailure);
}

}  // namespace
}  // namespace walduct::engine
