#include "kafka/send_permit.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "kafka/producer.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::kafka {
namespace {

// Time that stands until it is moved; waiting takes none.
class ManualTime final : public Clock, public Poller {
 public:
  absl::Time Now() override { return absl::UnixEpoch() + Monotonic(); }
  absl::Duration Monotonic() override { return absl::Milliseconds(now_ms.load()); }
  void WaitReadable(std::initializer_list<int>, absl::Duration) override {
    ++waits;
    Poller::Real().WaitReadable({}, absl::Milliseconds(1));
  }
  void WaitWritable(int, absl::Duration) override {}

  std::atomic<int64_t> now_ms{1000};
  std::atomic<int> waits{0};
};

class SendPermitTest : public testing::Test {
 protected:
  SendPermitTest() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_), 0); }
  ~SendPermitTest() override {
    close(sockets_[0]);
    close(sockets_[1]);
  }
  // On a thread that the permit guards, as librdkafka writes.
  void Write() {
    writer_ = std::thread([this] {
      GuardThread(&permit_);
      char byte = 'x';
      iovec part = {.iov_base = &byte, .iov_len = 1};
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      written_ = sendmsg(sockets_[0], &message, MSG_DONTWAIT | MSG_NOSIGNAL);
      error_ = errno;
    });
  }
  bool Arrived() {
    char byte = 0;
    return recv(sockets_[1], &byte, 1, MSG_DONTWAIT) == 1;
  }
  void AwaitWaits(int count) {
    while (time_.waits < count) std::this_thread::yield();
  }

  ManualTime time_;
  SendPermit permit_{Environment{&time_, &time_}};
  int sockets_[2] = {};
  std::thread writer_;
  ssize_t written_ = 0;
  int error_ = 0;
};

TEST_F(SendPermitTest, SendingIsFreeBeforeTheFirstRenewal) {
  time_.now_ms += 60000;
  EXPECT_TRUE(permit_.AwaitPermit());
}

TEST_F(SendPermitTest, ALeaseThatHasRunOutHoldsWritesUntilItIsRenewed) {
  permit_.Renew();
  time_.now_ms += absl::ToInt64Milliseconds(SendPermit::kLease) + 1;
  Write();
  AwaitWaits(3);
  EXPECT_FALSE(Arrived());
  permit_.Renew();
  writer_.join();
  EXPECT_EQ(written_, 1);
  EXPECT_TRUE(Arrived());
}

TEST_F(SendPermitTest, WithinTheLeaseNothingWaits) {
  permit_.Renew();
  time_.now_ms += absl::ToInt64Milliseconds(SendPermit::kLease);
  Write();
  writer_.join();
  EXPECT_EQ(time_.waits, 0);
  EXPECT_TRUE(Arrived());
}

TEST_F(SendPermitTest, ALeaseIsKeptWhileItLastsAndNoLonger) {
  const auto pass = [this](absl::Duration time) {
    time_.now_ms += absl::ToInt64Milliseconds(time);
  };
  EXPECT_TRUE(permit_.Keep()) << "none has begun";
  pass(2 * SendPermit::kLease);
  EXPECT_TRUE(permit_.Keep());
  permit_.Renew();
  for (int i = 0; i < 3; ++i) {
    pass(SendPermit::kLease / 2);
    EXPECT_TRUE(permit_.Keep());
  }
  pass(2 * SendPermit::kLease);
  EXPECT_FALSE(permit_.Keep()) << "who stood still may not be the writer any more";
}

TEST_F(SendPermitTest, WithdrawnItSendsNothingAnyMore) {
  permit_.Renew();
  time_.now_ms += 1000;
  Write();
  AwaitWaits(1);
  permit_.Withdraw();
  writer_.join();
  EXPECT_EQ(written_, -1);
  EXPECT_EQ(error_, EPIPE);
  EXPECT_FALSE(Arrived());
}

class Counting final : public DeliveryHandler {
 public:
  void OnDelivered(uint64_t, uint32_t count) override { delivered += count; }
  uint32_t delivered = 0;
};

// The whole way: librdkafka has records, a connection and a leader, and yet sends nothing.
TEST(SendPermitOfAProducer, HoldsWhatIsQueued) {
  MockCluster cluster;
  ManualTime time;
  auto producer = Producer::Create({.bootstrap_servers = cluster.bootstrap_servers(),
                                    .java = {},
                                    .rules = {},
                                    .environment = {&time, &time}});
  ASSERT_TRUE(producer.ok()) << producer.status();
  auto topic = (*producer)->OpenTopic("t");
  ASSERT_TRUE(topic.ok());
  Counting counting;
  const auto produce = [&] {
    EXPECT_TRUE((*producer)->Produce({.topic = &*topic, .value = "v"}).ok());
  };
  const auto await = [&](uint32_t count) {
    while (counting.delivered < count) {
      ASSERT_TRUE((*producer)->Poll(counting).ok());
      Poller::Real().WaitReadable({(*producer)->ready_fd()}, absl::Milliseconds(10));
    }
  };
  produce();
  await(1);
  (*producer)->RenewPermit();
  time.now_ms += 1000;
  produce();
  while (time.waits < 5) std::this_thread::yield();
  ASSERT_TRUE((*producer)->Poll(counting).ok());
  EXPECT_EQ(counting.delivered, 1u);
  (*producer)->RenewPermit();
  await(2);
}

}  // namespace
}  // namespace walduct::kafka
