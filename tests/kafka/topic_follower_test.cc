// When a follower has read what was there. That it goes on is shown with a real broker.
#include "kafka/look/topic_follower.h"

#include <gtest/gtest.h>

#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/poller.h"
#include "base/wake.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::kafka {
namespace {

constexpr absl::Duration kAtMost = absl::Seconds(20);

// A fetch at a partition's end is not answered as long as nothing is written.
class TopicFollowerTest : public testing::Test {
 protected:
  void Follow(const std::string& topic) {
    const auto follower = TopicFollower::Begin(
        {.bootstrap_servers = cluster_.bootstrap_servers(),
         .java = {{"fetch.max.wait.ms", "120000"}, {"rdkafka.socket.timeout.ms", "180000"}},
         .topics = {topic},
         .timeout = kAtMost},
        [this](const TopicFollower::Told& one) {
          const std::lock_guard<std::mutex> lock(mutex_);
          ++(one.record == nullptr ? ends_ : records_);
          early_ = early_ || (one.record != nullptr && one.caught_up);
          told_.Signal();
        });
    ASSERT_TRUE(follower.ok()) << follower.status();
    const absl::Duration until = Clock::Real().Monotonic() + kAtMost;
    while (!AtEnd() && Clock::Real().Monotonic() < until) {
      Poller::Real().WaitReadable({told_.fd()}, absl::Seconds(1));
      told_.Drain();
    }
  }
  bool AtEnd() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ends_ > 0;
  }

  MockCluster cluster_;
  std::mutex mutex_;
  int records_ = 0, ends_ = 0;
  bool early_ = false;
  Wake told_;
};

TEST_F(TopicFollowerTest, TheEndOfAnEmptyTopicIsKnownAtOnce) {
  cluster_.CreateTopic("t", 3);
  Follow("t");
  EXPECT_EQ(ends_, 1);
}

TEST_F(TopicFollowerTest, TheEndIsKnownWithTheLastRecord) {
  cluster_.CreateTopic("t", 1);
  for (int i = 0; i < 3; ++i) cluster_.Produce("t", "k", "v", 0);
  Follow("t");
  EXPECT_EQ(ends_, 1);
  EXPECT_EQ(records_, 3);
  EXPECT_FALSE(early_) << "what was there before is no news";
}

}  // namespace
}  // namespace walduct::kafka
