#include "redis/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace walduct::redis {
namespace {

using testing::HasSubstr;
using testing::Not;

absl::Status Of(absl::string_view answer) { return AnswerError(answer, "redis:6379"); }

TEST(AnswerError, WhatPassesIsUnavailable) {
  for (const auto& [answer, reason] : std::vector<std::pair<absl::string_view, std::string>>{
           {"OOM command not allowed when used memory > 'maxmemory'.", "redis_out_of_memory"},
           {"READONLY You can't write against a read only replica.", "redis_read_only"},
           {"NOREPLICAS Not enough good replicas to write.", "redis_too_few_replicas"},
           {"MISCONF Redis is configured to save RDB snapshots", "redis_cannot_persist"},
           {"LOADING Redis is loading the dataset in memory", "redis_busy"},
           {"EXECABORT Transaction discarded because of: OOM command not allowed",
            "redis_out_of_memory"}}) {
    EXPECT_TRUE(absl::IsUnavailable(Of(answer))) << answer;
    EXPECT_EQ(ErrorReason(Of(answer)), reason);
    EXPECT_THAT(ErrorHint(Of(answer)), Not(testing::IsEmpty()));
  }
}

TEST(AnswerError, WhatDoesNotPass) {
  EXPECT_EQ(ErrorReason(Of("WRONGTYPE Operation against a key")), "redis_wrong_type");
  EXPECT_EQ(ErrorReason(Of("MOVED 3999 127.0.0.1:6381")), "redis_cluster");
  EXPECT_EQ(ErrorReason(Of("CROSSSLOT Keys in request don't hash")), "redis_cluster");
  EXPECT_TRUE(absl::IsPermissionDenied(Of("NOPERM this user has no permissions")));
  EXPECT_TRUE(absl::IsUnauthenticated(Of("WRONGPASS invalid username-password pair")));
  EXPECT_TRUE(absl::IsUnauthenticated(Of("NOAUTH Authentication required.")));
  EXPECT_TRUE(absl::IsUnauthenticated(
      Of("ERR AUTH <password> called without any password configured for the default user.")));
}

TEST(AnswerError, ShowsNoValueOfARow) {
  const absl::Status error =
      Of("ERR unknown command 'XADD', with args beginning with: 'srv.t' '*' 'k' 'secret'");
  EXPECT_THAT(error.message(),
              testing::AllOf(HasSubstr("unknown command 'XADD'"), Not(HasSubstr("secret"))));
}

TEST(AnswerError, OnlyAReplicaIsAnotherServer) {
  EXPECT_TRUE(IsOtherServer(Of("READONLY x")));
  EXPECT_FALSE(IsOtherServer(Of("OOM x")));
}

}  // namespace
}  // namespace walduct::redis
