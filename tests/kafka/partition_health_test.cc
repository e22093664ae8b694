#include "kafka/partition_health.h"

#include <gtest/gtest.h>

#include "base/environment.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::kafka {
namespace {

class PartitionHealthTest : public testing::Test {
 protected:
  void SetUp() override {
    cluster_.CreateTopic("orders", 2);
    auto client = Client::Create(Client::Role::kProducer, cluster_.bootstrap_servers(), {});
    ASSERT_TRUE(client.ok()) << client.status();
    client_.emplace(*std::move(client));
    health_.emplace(&*client_, &wakeup_);
  }
  // Asks and waits for the brokers' answer.
  std::string Finding() {
    const absl::Duration asked = Clock::Real().Monotonic();
    health_->Ask({"orders"}, absl::Seconds(5));
    const absl::Duration deadline = asked + absl::Seconds(20);
    while (!health_->answered_since(asked) && Clock::Real().Monotonic() < deadline) {
      Poller::Real().WaitReadable({wakeup_.fd()}, absl::Milliseconds(100));
      wakeup_.Drain();
      health_->Poll(Clock::Real().Monotonic());
    }
    EXPECT_TRUE(health_->answered_since(asked));
    return health_->finding();
  }

  MockCluster cluster_;
  Wake wakeup_;
  std::optional<Client> client_;
  std::optional<PartitionHealth> health_;
};

TEST_F(PartitionHealthTest, NothingIsWrong) { EXPECT_EQ(Finding(), ""); }

TEST_F(PartitionHealthTest, APartitionWithoutLeaderIsNamed) {
  cluster_.TakeLeader("orders", 1);
  EXPECT_EQ(Finding(), "topic orders [1] has no leader");
}

}  // namespace
}  // namespace walduct::kafka
