#include "kafka/producer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "absl/time/clock.h"
#include "base/error.h"
#include "base/poller.h"
#include "kafka/look/topic_reader.h"
#include "kafka/topic_admin.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::kafka {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);
// How soon a topic that is not there fails its records.
constexpr char kQuickPropagation[] = "rdkafka.topic.metadata.propagation.max.ms";

class Deliveries final : public DeliveryHandler {
 public:
  void OnDelivered(uint64_t token, uint32_t count) override {
    ++calls;
    by_token[token] += count;
  }
  int calls = 0;
  std::map<uint64_t, uint32_t> by_token;
};

class ProducerTest : public testing::Test {
 protected:
  std::unique_ptr<Producer> Open(Properties java = {}, size_t buffer_bytes = 1u << 20) {
    auto producer = Producer::Create({.bootstrap_servers = cluster_.bootstrap_servers(),
                                      .java = std::move(java),
                                      .rules = {.buffer_bytes = buffer_bytes},
                                      .environment = Environment::Real()});
    EXPECT_TRUE(producer.ok()) << producer.status();
    return *std::move(producer);
  }
  Topic OpenTopic(Producer& producer, const std::string& name) {
    auto topic = producer.OpenTopic(name);
    EXPECT_TRUE(topic.ok()) << topic.status();
    return *std::move(topic);
  }
  // Polls until the producer says something else than OK, or patience ends.
  absl::Status PollToError(Producer& producer) {
    for (int i = 0; i < 300; ++i) {
      if (absl::Status status = producer.Poll(deliveries_); !status.ok()) return status;
      Poller::Real().WaitReadable({producer.ready_fd()}, absl::Milliseconds(100));
    }
    return absl::OkStatus();
  }
  struct Read {
    std::optional<std::string> key;
    std::optional<std::string> value;
  };
  std::vector<Read> ReadAll(const std::string& topic) {
    std::vector<Read> records;
    const absl::Status status = ReadTopic({.bootstrap_servers = cluster_.bootstrap_servers(),
                                           .java = {},
                                           .topic = topic,
                                           .timeout = kPatience,
                                           .environment = Environment::Real()},
                                          [&](const TopicRecord& record) {
                                            Read read;
                                            if (record.key) read.key.emplace(*record.key);
                                            if (record.value) read.value.emplace(*record.value);
                                            records.push_back(std::move(read));
                                          });
    EXPECT_TRUE(status.ok()) << status;
    return records;
  }

  MockCluster cluster_;
  Deliveries deliveries_;
};

TEST_F(ProducerTest, DeliveriesOfOneTokenComeFolded) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open();
  const Topic topic = OpenTopic(*producer, "t");
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(
        producer->Produce({.topic = &topic, .value = "v", .token = i < 200 ? 7u : 8u}).ok());
  }
  ASSERT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  EXPECT_EQ(deliveries_.by_token, (std::map<uint64_t, uint32_t>{{7, 200}, {8, 100}}));
  EXPECT_LT(deliveries_.calls, 30);
  EXPECT_EQ(producer->in_flight_bytes(), 0u);
  EXPECT_EQ(producer->in_flight_records(), 0u);
}

TEST_F(ProducerTest, KEY_NullAndEmptyStayApartAndOrderIsKept) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open();
  const Topic topic = OpenTopic(*producer, "t");
  ASSERT_TRUE(producer->Produce({.topic = &topic, .key = "", .value = absl::string_view()}).ok());
  ASSERT_TRUE(producer->Produce({.topic = &topic, .value = "v"}).ok());
  ASSERT_TRUE(producer->Produce({.topic = &topic, .key = "k"}).ok());
  ASSERT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  const std::vector<Read> records = ReadAll("t");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].key, "");
  EXPECT_EQ(records[0].value, "");
  EXPECT_EQ(records[1].key, std::nullopt);
  EXPECT_EQ(records[2].value, std::nullopt);
}

TEST_F(ProducerTest, BytesInFlightAreBounded) {
  cluster_.CreateTopic("t", 1);
  constexpr size_t kLimit = 64u << 10;
  const auto producer = Open({{"linger.ms", "1000"}}, kLimit);
  const Topic topic = OpenTopic(*producer, "t");
  const std::string value(1000, 'x');
  absl::Status status;
  int taken = 0;
  while ((status = producer->Produce({.topic = &topic, .value = value})).ok()) ++taken;
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_LE(producer->in_flight_bytes(), kLimit);
  EXPECT_GT(taken, 30);
  ASSERT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  EXPECT_EQ(deliveries_.by_token[0], static_cast<uint32_t>(taken));
  EXPECT_TRUE(producer->Produce({.topic = &topic, .value = value}).ok());
}

TEST_F(ProducerTest, ARecordLargerThanTheBufferGoesAlone) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open({}, 1000);
  const Topic topic = OpenTopic(*producer, "t");
  const std::string value(500000, 'x');
  ASSERT_TRUE(producer->Produce({.topic = &topic, .value = value}).ok());
  EXPECT_FALSE(producer->HasCapacity());
  EXPECT_TRUE(producer->Flush(deliveries_, kPatience).ok());
}

TEST_F(ProducerTest, ARecordTooLargeForTheClientIsNotTaken) {
  const auto producer = Open({{"max.request.size", "2000"}});
  const Topic topic = OpenTopic(*producer, "t");
  const std::string value(5000, 'x');
  const absl::Status status = producer->Produce({.topic = &topic, .value = value});
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(ErrorReason(status), "record_too_large");
  EXPECT_EQ(producer->in_flight_bytes(), 0u);
  EXPECT_TRUE(producer->Produce({.topic = &topic, .value = "small"}).ok());
}

TEST_F(ProducerTest, AFailedDeliveryBreaksTheProducerForGood) {
  cluster_.CreateTopic("t", 1);
  cluster_.FailNext(MockCluster::kProduce, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  const auto producer = Open();
  const Topic topic = OpenTopic(*producer, "t");
  ASSERT_TRUE(producer->Produce({.topic = &topic, .value = "v"}).ok());
  const absl::Status status = PollToError(*producer);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("topic t"));
  EXPECT_EQ(producer->Produce({.topic = &topic, .value = "v"}), status);
  EXPECT_EQ(producer->Poll(deliveries_), status);
  EXPECT_TRUE(deliveries_.by_token.empty());
}

TEST_F(ProducerTest, CON02_SNK02_ErrorsThatPassAreRetriedInOrder) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open({{"linger.ms", "0"}});
  const Topic topic = OpenTopic(*producer, "t");
  cluster_.FailNext(MockCluster::kProduce,
                    {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT});
  for (const char* value : {"1", "2", "3"}) {
    ASSERT_TRUE(producer->Produce({.topic = &topic, .value = value}).ok());
  }
  ASSERT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  const std::vector<Read> records = ReadAll("t");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].value, "1");
  EXPECT_EQ(records[2].value, "3");
}

TEST_F(ProducerTest, ABrokerThatIsAwayIsWaitedFor) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open();
  const Topic topic = OpenTopic(*producer, "t");
  ASSERT_TRUE(producer->Produce({.topic = &topic, .value = "1"}).ok());
  ASSERT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  cluster_.SetDown(true);
  ASSERT_TRUE(producer->Produce({.topic = &topic, .value = "2", .token = 2}).ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(producer->Flush(deliveries_, absl::Milliseconds(300))));
  cluster_.SetDown(false);
  EXPECT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  EXPECT_EQ(deliveries_.by_token[2], 1u);
}

TEST_F(ProducerTest, FAIL10_ATopicNotCreatedBecauseTheBrokerWasAwayIsTriedAnew) {
  cluster_.CreateTopic("t", 1);
  cluster_.SetTopicError("late", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const auto producer = Open({{kQuickPropagation, "10"}});
  const Topic topic = OpenTopic(*producer, "t");
  ASSERT_TRUE(producer->Produce({.topic = &topic, .value = "1"}).ok());
  ASSERT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  cluster_.SetDown(true);
  const Topic late = OpenTopic(*producer, "late");
  ASSERT_TRUE(producer->Produce({.topic = &late, .value = "2"}).ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(producer->Flush(deliveries_, absl::Seconds(1))));
  cluster_.SetDown(false);
  const absl::Status status = producer->Flush(deliveries_, kPatience);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(ErrorReason(status), "topic_gone");
}

TEST_F(ProducerTest, ATopicThatIsMissingWithBrokersUpFailsForGood) {
  cluster_.SetTopicError("none", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const auto producer = Open({{kQuickPropagation, "10"}});
  const Topic topic = OpenTopic(*producer, "none");
  ASSERT_TRUE(producer->Produce({.topic = &topic, .value = "1"}).ok());
  const absl::Status status = producer->Flush(deliveries_, kPatience);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "topic_missing");
}

bool IsAnswered(Client* client) {
  TopicAdmin admin(client, nullptr);
  const std::string name = "t";
  admin.StartExists({name}, absl::Seconds(1));
  const std::vector<TopicAnswer> answers = admin.Poll(absl::Seconds(1));
  return answers.size() == 1 && answers.front().status.ok();
}

// Who waits for the answer renews nothing meanwhile.
TEST_F(ProducerTest, AQuestionIsAnsweredThoughThePermitHasRunOut) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open();
  ASSERT_TRUE(producer->CheckConnected(kPatience).ok());
  producer->RenewPermit();
  EXPECT_TRUE(IsAnswered(&producer->client()));
  absl::SleepFor(SendPermit::kLease + absl::Milliseconds(50));
  EXPECT_FALSE(IsAnswered(&producer->client())) << "its threads send nothing";
  EXPECT_TRUE(IsAnswered(producer->ClientForQuestions()));
}

TEST_F(ProducerTest, SNK08_HeadersAndPartitionAreSent) {
  cluster_.CreateTopic("t", 3);
  const auto producer = Open();
  const Topic topic = OpenTopic(*producer, "t");
  Headers headers;
  const std::string large(10'000, 'l');
  headers.Set(std::array{HeaderText{"name", "value"}, HeaderText{large, large},
                         HeaderText{"empty", ""}, HeaderText{"none", std::nullopt}});
  ASSERT_TRUE(
      producer->Produce({.topic = &topic, .partition = 2, .value = "v", .headers = &headers}).ok());
  ASSERT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  int32_t partition = -1;
  std::string found;
  const absl::Status status = ReadTopic({.bootstrap_servers = cluster_.bootstrap_servers(),
                                         .java = {},
                                         .topic = "t",
                                         .timeout = kPatience,
                                         .headers = true,
                                         .environment = Environment::Real()},
                                        [&](const TopicRecord& record) {
                                          partition = record.partition;
                                          found = record.headers;
                                        });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(partition, 2);
  EXPECT_EQ(found, "name=value\n" + large + "=" + large + "\nempty=\nnone=null\n");
}

// Where librdkafka is ours; another takes a copy for each.
TEST_F(ProducerTest, HeadersThatRecordsShareTakeMemoryOnce) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open({{"linger.ms", "1000"}});
  const Topic topic = OpenTopic(*producer, "t");
  Headers headers;
  const std::string value(2000, 'v'), other(2000, 'w');
  headers.Set(std::array{HeaderText{"name", value}});
  const auto produce = [&] {
    const size_t before = producer->in_flight_bytes();
    EXPECT_TRUE(producer->Produce({.topic = &topic, .value = "v", .headers = &headers}).ok());
    return producer->in_flight_bytes() - before;
  };
  EXPECT_GT(produce(), 2000u);
#ifdef RD_KAFKA_HEADERS_MAKE
  EXPECT_LT(produce(), 1000u);
#endif
  headers.Set(std::array{HeaderText{"name", other}});
  EXPECT_GT(produce(), 2000u) << "another list";
  ASSERT_TRUE(producer->Flush(deliveries_, kPatience).ok());
  EXPECT_EQ(producer->in_flight_bytes(), 0u);
}

// It would come again with the next producer, and before what failed.
TEST_F(ProducerTest, WhatWaitsBehindAFailureIsNotSent) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open({{"batch.size", "1"}, {"max.in.flight.requests.per.connection", "1"}});
  const Topic topic = OpenTopic(*producer, "t");
  cluster_.SlowDown(absl::Milliseconds(100));
  cluster_.FailNext(MockCluster::kProduce, {RD_KAFKA_RESP_ERR_INVALID_RECORD});
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(producer->Produce({.topic = &topic, .value = std::string(100, 'v')}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(PollToError(*producer)));
  EXPECT_EQ(producer->failed_batch().records, 1u);
  const size_t sent = cluster_.CountRequests(MockCluster::kProduce);
  Poller::Real().WaitReadable({}, absl::Seconds(2));
  EXPECT_LE(cluster_.CountRequests(MockCluster::kProduce), sent + 1) << "the one on its way";
}

TEST_F(ProducerTest, TheDescriptorWakesWhenADeliveryArrives) {
  cluster_.CreateTopic("t", 1);
  const auto producer = Open();
  const Topic topic = OpenTopic(*producer, "t");
  ASSERT_TRUE(producer->Produce({.topic = &topic, .value = "v", .token = 3}).ok());
  for (int i = 0; i < 10 && deliveries_.by_token.empty(); ++i) {
    Poller::Real().WaitReadable({producer->ready_fd()}, absl::Seconds(3));
    ASSERT_TRUE(producer->Poll(deliveries_).ok());
  }
  EXPECT_EQ(deliveries_.by_token[3], 1u);
}

TEST_F(ProducerTest, CheckConnectedTellsABrokerFromNone) {
  EXPECT_TRUE(Open()->CheckConnected(kPatience).ok());
  const auto nobody = Producer::Create({.bootstrap_servers = "127.0.0.1:1",
                                        .java = {},
                                        .rules = {},
                                        .environment = Environment::Real()});
  ASSERT_TRUE(nobody.ok());
  const absl::Status status = (*nobody)->CheckConnected(kPatience);
  EXPECT_EQ(ErrorReason(status), "broker_unavailable");
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("Connection refused"));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("127.0.0.1:1"));
}

TEST_F(ProducerTest, ReadingATopicThatIsNotThereSaysSo) {
  cluster_.SetTopicError("none", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const absl::Status status = ReadTopic({.bootstrap_servers = cluster_.bootstrap_servers(),
                                         .java = {},
                                         .topic = "none",
                                         .timeout = kPatience,
                                         .environment = Environment::Real()},
                                        [](const TopicRecord&) {});
  EXPECT_EQ(ErrorReason(status), "topic_missing") << status;
}

TEST_F(ProducerTest, ReadingIsBoundedInTime) {
  const absl::Status status = ReadTopic({.bootstrap_servers = "127.0.0.1:1",
                                         .java = {},
                                         .topic = "t",
                                         .timeout = absl::Milliseconds(300),
                                         .environment = Environment::Real()},
                                        [](const TopicRecord&) {});
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

}  // namespace
}  // namespace walduct::kafka
