#include "kafka/error.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::kafka {
namespace {

TEST(KafkaErrorTest, CodesHaveTheirReasonAndHint) {
  const absl::Status missing = KafkaError(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "topic t");
  EXPECT_TRUE(absl::IsFailedPrecondition(missing));
  EXPECT_EQ(ErrorReason(missing), "topic_missing");
  EXPECT_EQ(missing.message().substr(0, 9), "topic t: ");
  // Both or none: "and" is what a worker's command takes them together by.
  EXPECT_NE(ErrorHint(missing).find("topic.creation.default.partitions=1 and "
                                    "topic.creation.default.replication.factor=-1,"),
            std::string::npos);
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

TEST(KafkaErrorTest, AnAddressStandsThereOnce) {
  const auto text = [](absl::string_view what, absl::string_view words) {
    return std::string(KafkaError(RD_KAFKA_RESP_ERR__TRANSPORT, what, words).message());
  };
  constexpr absl::string_view kEnd = "Connection refused (after 0ms in state CONNECT)";
  const auto connect = [&](absl::string_view broker, absl::string_view address) {
    return absl::StrCat(broker, "/bootstrap: Connect to ipv4#", address, " failed: ", kEnd);
  };
  const std::string refused = absl::StrCat("cannot connect: ", kEnd, " (_TRANSPORT)");
  EXPECT_EQ(text("Kafka at localhost:9092", connect("localhost:9092", "127.0.0.1:9092")),
            absl::StrCat("Kafka at localhost:9092: ", refused));
  EXPECT_EQ(text("Kafka at 10.0.0.5:9092", connect("10.0.0.5:9092", "10.0.0.5:9092")),
            absl::StrCat("Kafka at 10.0.0.5:9092: ", refused));
  // What the name has become, and which of several it is, is worth knowing.
  EXPECT_EQ(text("Kafka at k-1:9092", connect("k-1:9092", "10.0.0.5:9092")),
            absl::StrCat("Kafka at k-1:9092: cannot connect (10.0.0.5): ", kEnd, " (_TRANSPORT)"));
  EXPECT_EQ(text("Kafka at 10.0.0.5:1,10.0.0.6:1", connect("10.0.0.5:1", "10.0.0.5:1")),
            absl::StrCat("Kafka at 10.0.0.5:1,10.0.0.6:1: 10.0.0.5:1: ", refused));
  EXPECT_EQ(text("Kafka at k-1:9092", "k-1:9092/2: Disconnected (after 3 ms in state UP)"),
            "Kafka at k-1:9092: Disconnected (after 3 ms in state UP) (_TRANSPORT)");
  EXPECT_EQ(text("Kafka at k-1:9092", "1/1 brokers are down"),
            "Kafka at k-1:9092: 1/1 brokers are down (_TRANSPORT)");
  EXPECT_EQ(
      KafkaError(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, "Kafka at k-1:9092", "0/1 brokers are down")
          .message(),
      "Kafka at k-1:9092: no broker answers (_ALL_BROKERS_DOWN)");
}

TEST(KafkaErrorTest, KindsOfErrors) {
  EXPECT_TRUE(IsConnectionError(RD_KAFKA_RESP_ERR__TRANSPORT));
  EXPECT_FALSE(IsConnectionError(RD_KAFKA_RESP_ERR__AUTHENTICATION));
  EXPECT_TRUE(IsIdentityError(RD_KAFKA_RESP_ERR__SSL));
  EXPECT_FALSE(IsIdentityError(RD_KAFKA_RESP_ERR__TRANSPORT));
}

}  // namespace
}  // namespace walduct::kafka
