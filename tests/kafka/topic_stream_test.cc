// What a reader of a topic waits for. That it reads what is there is shown with a real broker.
#include "kafka/look/topic_stream.h"

#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::kafka {
namespace {

constexpr int kStuck = 0, kBusy = 1;  // partitions

TEST(TopicStreamTest, WhatIsWrittenMeanwhileDoesNotProlongTheWait) {
  constexpr absl::Duration kTimeout = absl::Seconds(4), kLongest = absl::Seconds(20);
  constexpr int kAway = 2;  // a broker
  MockCluster cluster(2);
  cluster.CreateTopic("t", 2);
  cluster.MoveLeader("t", kStuck, kAway);
  cluster.MoveLeader("t", kBusy, 1);
  for (const int partition : {kStuck, kBusy}) cluster.Produce("t", "k", "v", partition);
  cluster.SlowDown(absl::Milliseconds(100));  // so that nothing is read before the leader is gone
  auto stream = TopicStream::Open({.bootstrap_servers = cluster.bootstrap_servers(),
                                   .java = {},
                                   .topic = "t",
                                   .timeout = kTimeout,
                                   .until_silent = true,
                                   .environment = Environment::Real()});
  ASSERT_TRUE(stream.ok()) << stream.status();
  cluster.SetDown(true, kAway);
  cluster.SlowDown(absl::ZeroDuration());
  const absl::Duration begin = Clock::Real().Monotonic();
  const std::jthread writer([&cluster, end = begin + kLongest](const std::stop_token& stop) {
    while (!stop.stop_requested() && Clock::Real().Monotonic() < end)
      cluster.Produce("t", "k", "v", kBusy);
  });
  absl::StatusOr<std::optional<TopicRecord>> record = (*stream)->Next();
  ASSERT_TRUE(record.ok() && *record) << record.status();
  EXPECT_EQ((*record)->partition, kBusy);
  record = (*stream)->Next();
  EXPECT_EQ(ErrorReason(record.status()), "topic_read_timeout") << record.status();
  EXPECT_LT(Clock::Real().Monotonic() - begin, kLongest);
}

}  // namespace
}  // namespace walduct::kafka
