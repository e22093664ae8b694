// What a reader of a topic waits for. That it reads what is there is shown with a real broker.
#include "kafka/look/topic_stream.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::kafka {
namespace {

constexpr int kStuck = 0, kBusy = 1;  // partitions

// Writes to a partition, for so long at most.
class Writer {
 public:
  explicit Writer(const MockCluster& cluster) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    char text[256];
    rd_kafka_conf_set(conf, "bootstrap.servers", cluster.bootstrap_servers().c_str(), text,
                      sizeof(text));
    producer_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof(text));
    CHECK(producer_ != nullptr);
  }
  ~Writer() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    rd_kafka_destroy(producer_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Write(int partition) {
    rd_kafka_producev(producer_, RD_KAFKA_V_TOPIC("t"), RD_KAFKA_V_PARTITION(partition),
                      RD_KAFKA_V_KEY("k", 1), RD_KAFKA_V_VALUE(const_cast<char*>("v"), 1),
                      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    rd_kafka_flush(producer_, 10'000);
  }
  void Start(int partition, absl::Duration longest) {
    const absl::Duration end = Clock::Real().Monotonic() + longest;
    thread_ = std::thread([this, partition, end] {
      while (!stop_ && Clock::Real().Monotonic() < end) {
        Write(partition);
        Poller::Real().WaitReadable({}, absl::Milliseconds(50));
      }
    });
  }

 private:
  rd_kafka_t* producer_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(TopicStreamTest, WhatIsWrittenMeanwhileDoesNotProlongTheWait) {
  constexpr absl::Duration kTimeout = absl::Seconds(4), kLongest = absl::Seconds(20);
  MockCluster cluster;
  cluster.CreateTopic("t", 2);
  Writer writer(cluster);
  writer.Write(kStuck);
  writer.Write(kBusy);
  cluster.SlowDown(absl::Milliseconds(100));  // so that nothing is read before the leader is gone
  auto stream = TopicStream::Open({.bootstrap_servers = cluster.bootstrap_servers(),
                                   .java = {},
                                   .topic = "t",
                                   .timeout = kTimeout,
                                   .until_silent = true,
                                   .environment = Environment::Real()});
  ASSERT_TRUE(stream.ok()) << stream.status();
  cluster.TakeLeader("t", kStuck);
  cluster.SlowDown(absl::ZeroDuration());
  writer.Start(kBusy, kLongest);
  const absl::Duration begin = Clock::Real().Monotonic();
  absl::StatusOr<std::optional<TopicRecord>> record = (*stream)->Next();
  ASSERT_TRUE(record.ok() && *record) << record.status();
  EXPECT_EQ((*record)->partition, kBusy);
  record = (*stream)->Next();
  EXPECT_EQ(ErrorReason(record.status()), "topic_read_timeout") << record.status();
  EXPECT_LT(Clock::Real().Monotonic() - begin, kLongest);
}

}  // namespace
}  // namespace walduct::kafka
