// Signals in a topic, read from librdkafka's cluster in this process.
#include "incremental/channels/kafka_channel.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/kafka/mock_cluster.h"
#include "tests/support/simulated_time.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;

constexpr char kTopic[] = "srv-signal";

class KafkaChannelTest : public testing::Test {
 protected:
  KafkaChannelTest() {
    cluster_.CreateTopic(kTopic, 1);
    Open();
  }

  void Open() {
    channel_ = std::make_unique<KafkaChannel>(
        KafkaChannel::Options{.reader =
                                  [this] {
                                    kafka::CommittedReader::Options reader;
                                    reader.bootstrap_servers = cluster_.bootstrap_servers();
                                    reader.java = {{"group.id", "kafka-signal"}};
                                    reader.topic = kTopic;
                                    return reader;
                                  },
                              .key = "srv",
                              .poll_timeout = absl::Milliseconds(100),
                              .clock = &clock_});
  }

  void Produce(const std::string& key, const std::string& value) {
    cluster_.Produce(kTopic, key, value);
  }
  // Ids until there are so many; "!": no signal.
  std::vector<std::string> Poll(size_t count) {
    std::vector<std::string> ids;
    for (int looks = 0; looks < 100 && ids.size() < count; ++looks) {
      absl::StatusOr<SignalChannel::Signals> signals = channel_->Poll();
      if (!signals.ok()) continue;
      for (const auto& one : *signals) ids.push_back(one.ok() ? one->id : "!");
    }
    return ids;
  }

  kafka::MockCluster cluster_;
  test::SimulatedTime clock_;
  std::unique_ptr<KafkaChannel> channel_;
};

TEST_F(KafkaChannelTest, SIG05_TakesItsOwnSignalsAndGoesOnBehindThem) {
  Produce("someone-else", R"({"id": "no"})");
  Produce("srv", "");
  Produce("srv", "{oops");
  Produce("srv", R"({"id": "k1", "type": "log"})");
  EXPECT_THAT(Poll(2), ElementsAre("!", "k1"));
  channel_->Done(2);
  channel_ = nullptr;
  Produce("srv", R"({"id": "k2", "type": "log"})");
  Open();
  EXPECT_THAT(Poll(1), ElementsAre("k2"));
}

// The offset of the group cannot be asked for at first.
TEST_F(KafkaChannelTest, SIG05_BeginsAnewAfterAnError) {
  constexpr int16_t kOffsetFetch = 9;
  cluster_.FailNext(kOffsetFetch, {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED});
  Produce("srv", R"({"id": "k1"})");
  absl::Status error;
  for (int looks = 0; looks < 100 && error.ok(); ++looks) error = channel_->Poll().status();
  EXPECT_FALSE(error.ok());
  EXPECT_TRUE(channel_->Poll().ok());
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(Poll(1), ElementsAre("k1"));
}

TEST_F(KafkaChannelTest, SIG05_WhatIsNotDoneComesAgain) {
  Produce("srv", R"({"id": "k1"})");
  Produce("srv", R"({"id": "k2"})");
  EXPECT_THAT(Poll(2), ElementsAre("k1", "k2"));
  channel_->Done(1);
  Open();
  EXPECT_THAT(Poll(1), ElementsAre("k2"));
}

TEST_F(KafkaChannelTest, ClosingDoesNotWaitForABrokerThatIsAway) {
  Produce("srv", R"({"id": "k1"})");
  EXPECT_THAT(Poll(1), ElementsAre("k1"));
  cluster_.SetDown(true);
  channel_->Done(1);
  channel_ = nullptr;
}

}  // namespace
}  // namespace walduct::incremental
