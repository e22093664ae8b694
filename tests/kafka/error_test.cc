#include "kafka/error.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include "base/error.h"

namespace walduct::kafka {
namespace {

TEST(KafkaErrorTest, CodesHaveTheirReasonAndHint) {
  const absl::Status missing = KafkaError(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "topic t");
  EXPECT_TRUE(absl::IsFailedPrecondition(missing));
  EXPECT_EQ(ErrorReason(missing), "topic_missing");
  EXPECT_EQ(missing.message().substr(0, 9), "topic t: ");
  EXPECT_FALSE(ErrorHint(missing).empty());
  EXPECT_TRUE(absl::IsPermissionDenied(
      KafkaError(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "topic t")));
  EXPECT_TRUE(absl::IsUnauthenticated(KafkaError(RD_KAFKA_RESP_ERR__AUTHENTICATION, "k")));
  EXPECT_TRUE(absl::IsInvalidArgument(KafkaError(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, "t")));
  EXPECT_TRUE(absl::IsUnavailable(KafkaError(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, "k")));
}

TEST(KafkaErrorTest, ACodeWithoutARowMayPass) {
  const absl::Status status = KafkaError(RD_KAFKA_RESP_ERR_UNKNOWN, "k", "the broker's words");
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(status.message(), "k: the broker's words (UNKNOWN)");
}

TEST(KafkaErrorTest, KindsOfErrors) {
  EXPECT_TRUE(IsConnectionError(RD_KAFKA_RESP_ERR__TRANSPORT));
  EXPECT_FALSE(IsConnectionError(RD_KAFKA_RESP_ERR__AUTHENTICATION));
  EXPECT_TRUE(IsIdentityError(RD_KAFKA_RESP_ERR__SSL));
  EXPECT_FALSE(IsIdentityError(RD_KAFKA_RESP_ERR__TRANSPORT));
}

}  // namespace
}  // namespace walduct::kafka
