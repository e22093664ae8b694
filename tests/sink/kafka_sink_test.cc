#include "sink/kafka_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/poller.h"
#include "kafka/look/topic_reader.h"
#include "kafka/options.h"
#include "sink/awaited_topics.h"
#include "sink/kafka_sink_type.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::sink {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kPropagation = absl::Milliseconds(500);  // how long a topic may be unknown

class Acks final : public AckHandler {
 public:
  void OnAcknowledged(Ticket ticket, uint32_t count) override { by_ticket[ticket] += count; }
  std::map<Ticket, uint32_t> by_ticket;
};

TopicCreationGroup DefaultGroup() {
  TopicCreationGroup group;
  group.name = "default";
  group.partitions = 1;
  return group;
}

// The real time, and what a test adds to it.
class ShiftedClock final : public Clock {
 public:
  absl::Time Now() override { return Clock::Real().Now(); }
  absl::Duration Monotonic() override { return Clock::Real().Monotonic() + shift; }
  absl::Duration shift;
};

class KafkaSinkTest : public testing::Test {
 protected:
  std::unique_ptr<Sink> Open(const Environment& environment = Environment::Real()) const {
    kafka::KafkaOptions kafka;
    kafka.bootstrap_servers = cluster_.bootstrap_servers();
    kafka.producer["rdkafka.topic.metadata.propagation.max.ms"] =
        absl::StrCat(absl::ToInt64Milliseconds(propagation_));
    auto sink = KafkaDestination(options_).Open({kafka, environment});
    EXPECT_TRUE(sink.ok()) << sink.status();
    return *std::move(sink);
  }
  static event::Record Of(absl::string_view topic, absl::string_view value) {
    return {.topic = topic, .partition = {}, .key = "k", .value = value, .headers = kHeaders};
  }
  static constexpr event::Header kHeaders[] = {{"a", "1"}, {"b", "2"}};
  // Writes as the data thread does: polls while there is no room.
  absl::Status WriteWaiting(Sink& sink, const event::Record& record, Ticket ticket) {
    for (int i = 0; i < 300; ++i) {
      const absl::Status status = sink.Write(record, ticket);
      if (!absl::IsResourceExhausted(status)) return status;
      Poller::Real().WaitReadable({sink.ready_fd()}, absl::Milliseconds(100));
      if (absl::Status polled = sink.Poll(acks_); !polled.ok()) return polled;
    }
    return absl::DeadlineExceededError("never taken");
  }
  int CountRecords(const std::string& topic) const {
    int count = 0;
    const absl::Status status = kafka::ReadTopic({.bootstrap_servers = cluster_.bootstrap_servers(),
                                                  .java = {},
                                                  .topic = topic,
                                                  .timeout = kPatience,
                                                  .environment = Environment::Real()},
                                                 [&](const kafka::TopicRecord&) { ++count; });
    EXPECT_TRUE(status.ok()) << status;
    return count;
  }

  KafkaSinkOptions options_;
  absl::Duration propagation_ = kPropagation;
  kafka::MockCluster cluster_;
  Acks acks_;
};

TEST_F(KafkaSinkTest, RecordsOfSeveralTopicsAreAcknowledgedByTicket) {
  const auto sink = Open();
  for (Ticket ticket = 1; ticket <= 3; ++ticket) {
    ASSERT_TRUE(WriteWaiting(*sink, Of("a", "v"), ticket).ok());
    ASSERT_TRUE(WriteWaiting(*sink, Of("b", "v"), ticket).ok());
  }
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  EXPECT_EQ(acks_.by_ticket, (std::map<Ticket, uint32_t>{{1, 2}, {2, 2}, {3, 2}}));
  EXPECT_EQ(CountRecords("a"), 3);
}

TEST_F(KafkaSinkTest, BackPressureUntilAcknowledgementsAreTaken) {
  options_.buffer_bytes = 32u << 10;
  const auto sink = Open();
  const std::string value(1000, 'x');
  uint32_t written = 0;
  for (; written < 200; ++written) {
    ASSERT_TRUE(WriteWaiting(*sink, Of("t", value), 1).ok());
  }
  EXPECT_GT(acks_.by_ticket[1], 100u);  // 200 records do not fit
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  EXPECT_EQ(acks_.by_ticket[1], written);
}

TEST_F(KafkaSinkTest, ATopicIsLookedForBeforeItsFirstRecordWhereCreationIsConfigured) {
  options_.topic_creation = {DefaultGroup()};
  cluster_.CreateTopic("t", 1);
  const auto sink = Open();
  EXPECT_TRUE(absl::IsResourceExhausted(sink->Write(Of("t", "v"), 1)));
  ASSERT_TRUE(WriteWaiting(*sink, Of("t", "v"), 1).ok());
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  EXPECT_EQ(acks_.by_ticket[1], 1u);
}

TEST_F(KafkaSinkTest, APreparedTopicTakesRecordsAtOnce) {
  options_.topic_creation = {DefaultGroup()};
  cluster_.CreateTopic("t", 1);
  const auto sink = Open();
  ASSERT_TRUE(sink->PrepareTopics({"t"}).ok());
  EXPECT_TRUE(sink->Write(Of("t", "v"), 1).ok());
}

// Many: some are those of tables that were dropped.
TEST_F(KafkaSinkTest, OfManyTopicsThoseThatAreNotUsedAreForgotten) {
  options_.used_time = absl::ZeroDuration();
  for (const size_t count : {2 * KafkaSink::kKeptTopics - 1, 2 * KafkaSink::kKeptTopics}) {
    const auto sink = Open();
    const auto topic = [count](size_t i) { return absl::StrCat("of", count, "_", i); };
    for (size_t i = 0; i < count; ++i) ASSERT_TRUE(WriteWaiting(*sink, Of(topic(i), "v"), 1).ok());
    for (const size_t i : {1u, 2u}) ASSERT_TRUE(sink->Write(Of(topic(i), "v"), 1).ok());
    ASSERT_TRUE(WriteWaiting(*sink, Of(topic(count), "v"), 1).ok());
    for (const size_t i : {1u, 2u})
      EXPECT_TRUE(sink->Write(Of(topic(i), "v"), 1).ok()) << "used since";
    const bool forgotten = absl::IsResourceExhausted(sink->Write(Of(topic(5), "v"), 1));
    EXPECT_EQ(forgotten, count == 2 * KafkaSink::kKeptTopics);
    ASSERT_TRUE(WriteWaiting(*sink, Of(topic(5), "v"), 1).ok());
    ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  }
}

// Were they forgotten, each record would wait for an answer of the broker.
TEST_F(KafkaSinkTest, TopicsThatComeByTurnsAreLookedForOnce) {
  const auto sink = Open();
  const auto topic = [](size_t i) { return absl::StrCat("turn", i); };
  const size_t count = 4 * KafkaSink::kKeptTopics;
  for (size_t i = 0; i < count; ++i) ASSERT_TRUE(WriteWaiting(*sink, Of(topic(i), "v"), 1).ok());
  for (size_t i = 0; i < count; ++i) EXPECT_TRUE(sink->Write(Of(topic(i), "v"), 1).ok()) << i;
}

// librdkafka keeps memory for each of them.
TEST_F(KafkaSinkTest, AProducerThatHasForgottenManyTopicsIsMadeAnew) {
  options_.most_forgotten = KafkaSink::kKeptTopics;
  options_.used_time = absl::ZeroDuration();
  const auto sink = Open();
  absl::Status status;
  size_t written = 0;
  while (written < 4 * KafkaSink::kKeptTopics && status.ok()) {
    status = WriteWaiting(*sink, Of(absl::StrCat("gone", written++), "v"), 1);
    if (status.ok()) status = sink->Flush(acks_, kPatience);
    if (status.ok()) status = sink->Poll(acks_);
  }
  EXPECT_EQ(ErrorReason(status), "producer_renewed") << status;
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_GT(written, 2 * KafkaSink::kKeptTopics);
}

TEST_F(KafkaSinkTest, ATopicThatMayNotBeSeenStopsTheStart) {
  options_.topic_creation = {DefaultGroup()};
  cluster_.SetTopicError("t", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  const absl::Status status = Open()->PrepareTopics({"t"});
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("topic t"));
}

TEST_F(KafkaSinkTest, ATopicThatIsNotThereFailsWithinSeconds) {
  cluster_.SetTopicError("t", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const auto sink = Open();
  ASSERT_TRUE(WriteWaiting(*sink, Of("t", "v"), 1).ok());
  absl::Status status = sink->Flush(acks_, kPatience);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(ErrorReason(status), "topic_missing");
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("topic t"));
  EXPECT_THAT(ErrorHint(status), testing::StartsWith("create the topic: kafka-topics.sh "));
  EXPECT_THAT(ErrorHint(status), testing::HasSubstr(" --create --topic t; or "));
  EXPECT_THAT(ErrorHint(status), testing::HasSubstr("auto.create.topics.enable"));
  EXPECT_TRUE(acks_.by_ticket.empty());
}

// A broker creates one after the other, and librdkafka's patience is each topic's.
TEST_F(KafkaSinkTest, OnlyAFewTopicsAreLeftToTheBrokerToCreateAtOnce) {
  propagation_ = kPatience;
  const auto topic = [](size_t i) { return absl::StrCat("t", i); };
  for (size_t i = 0; i <= AwaitedTopics::kMost; ++i)
    cluster_.SetTopicError(topic(i), RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const auto sink = Open();
  for (size_t i = 0; i < AwaitedTopics::kMost; ++i)
    ASSERT_TRUE(WriteWaiting(*sink, Of(topic(i), "v"), 1).ok());
  const std::string last = topic(AwaitedTopics::kMost);
  const auto waits = [&] {
    return absl::StrContains(sink->WaitingFor(), absl::StrCat("to create 32 topics before ", last));
  };
  for (int i = 0; i < 300 && !waits(); ++i) {
    ASSERT_TRUE(absl::IsResourceExhausted(sink->Write(Of(last, "v"), 2)));
    Poller::Real().WaitReadable({sink->ready_fd()}, absl::Milliseconds(100));
    ASSERT_TRUE(sink->Poll(acks_).ok());
  }
  ASSERT_TRUE(absl::IsResourceExhausted(sink->Write(Of(last, "v"), 2)));
  EXPECT_TRUE(waits()) << sink->WaitingFor();
  for (size_t i = 0; i <= AwaitedTopics::kMost; ++i)
    cluster_.SetTopicError(topic(i), RD_KAFKA_RESP_ERR_NO_ERROR);
  ASSERT_TRUE(WriteWaiting(*sink, Of(last, "v"), 2).ok());
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  EXPECT_EQ(acks_.by_ticket, (std::map<Ticket, uint32_t>{{1, AwaitedTopics::kMost}, {2, 1}}));
}

// Nothing is waited for that was given up.
TEST_F(KafkaSinkTest, TopicsThatAreNeverCreatedHoldUpNoOther) {
  kafka::Producer::Options options{.bootstrap_servers = cluster_.bootstrap_servers(),
                                   .java = {},
                                   .rules = {},
                                   .environment = Environment::Real()};
  const auto producer = kafka::Producer::Create(options);
  ASSERT_TRUE(producer.ok()) << producer.status();
  AwaitedTopics awaited(producer->get());
  for (size_t i = 0; i < 3 * AwaitedTopics::kMost; ++i)
    EXPECT_TRUE(awaited.Add(absl::StrCat("t", i))) << "nothing is in flight";
}

// The broker that comes back does not know the topic at once, as one that is about to create it.
TEST_F(KafkaSinkTest, FAIL10_ATopicFirstSeenWhileTheBrokerIsAwayWaitsForIt) {
  cluster_.CreateTopic("t", 1);
  const auto sink = Open();
  ASSERT_TRUE(WriteWaiting(*sink, Of("t", "v"), 1).ok());
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  cluster_.SetDown(true);
  const absl::Duration away = Clock::Real().Monotonic() + 3 * kPropagation;
  while (Clock::Real().Monotonic() < away) {
    ASSERT_TRUE(absl::IsResourceExhausted(sink->Write(Of("late", "v"), 2)));
    Poller::Real().WaitReadable({sink->ready_fd()}, kPropagation / 10);
    ASSERT_TRUE(sink->Poll(acks_).ok());
  }
  cluster_.SetTopicError("late", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  cluster_.SetDown(false);
  ASSERT_TRUE(WriteWaiting(*sink, Of("late", "v"), 2).ok());
  cluster_.SetTopicError("late", RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_TRUE(sink->Flush(acks_, kPatience).ok());
  EXPECT_EQ(acks_.by_ticket[2], 1u);
}

TEST_F(KafkaSinkTest, AnInvalidTopicNameIsRefusedAsSuch) {
  const auto sink = Open();
  const std::string name(600, 'x');
  EXPECT_EQ(ErrorReason(sink->Write(Of(name, "v"), 1)), "topic_name_invalid");
}

TEST_F(KafkaSinkTest, NoBrokerAtTheStartIsSaidWithItsAddress) {
  kafka::KafkaOptions kafka;
  kafka.bootstrap_servers = "127.0.0.1:1";
  const auto sink = KafkaDestination(options_).Open({kafka, Environment::Real()});
  ASSERT_TRUE(sink.ok());
  const absl::Status status = (*sink)->PrepareTopics({"t"});
  EXPECT_EQ(ErrorReason(status), "broker_unavailable");
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("127.0.0.1:1"));
}

TEST_F(KafkaSinkTest, AStallOnATopicThatIsLookedUpIsNamed) {
  const auto sink = Open();
  ASSERT_TRUE(absl::IsResourceExhausted(sink->Write(Of("orders", "1"), 1)));
  EXPECT_THAT(sink->WaitingFor(), testing::HasSubstr("to answer whether topic orders exists"));
}

TEST_F(KafkaSinkTest, AStallIsNamedAndAProducerThatIsStuckIsGivenUp) {
  ShiftedClock clock;
  cluster_.CreateTopic("orders", 1);
  const std::unique_ptr<Sink> sink = Open({&clock, &Poller::Real()});
  ASSERT_TRUE(WriteWaiting(*sink, Of("orders", "1"), 1).ok());
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  cluster_.FailNext(kafka::MockCluster::kProduce,
                    std::vector(10000, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS));
  ASSERT_TRUE(WriteWaiting(*sink, Of("orders", "2"), 2).ok());
  EXPECT_THAT(sink->WaitingFor(), testing::HasSubstr(cluster_.bootstrap_servers()));
  absl::Status polled;
  const auto poll = [&](int times) {
    for (int i = 0; i < times && polled.ok(); ++i) {
      static_cast<void>(sink->WaitingFor());
      Poller::Real().WaitReadable({sink->ready_fd()}, absl::Milliseconds(50));
      polled = sink->Poll(acks_);
    }
  };
  poll(40);
  EXPECT_TRUE(polled.ok()) << "too soon: " << polled;
  clock.shift = absl::Seconds(61);
  poll(400);
  EXPECT_EQ(ErrorReason(polled), "producer_stuck");
  EXPECT_TRUE(absl::IsUnavailable(polled));
}

// The control: what the brokers themselves explain is waited for, however long.
TEST_F(KafkaSinkTest, AStallForWantOfALeaderIsWaitedFor) {
  ShiftedClock clock;
  // Before anything is sent: the mock does not survive a batch for a partition without a leader.
  cluster_.CreateTopic("orders", 1);
  cluster_.TakeLeader("orders", 0);
  const std::unique_ptr<Sink> sink = Open({&clock, &Poller::Real()});
  ASSERT_TRUE(WriteWaiting(*sink, Of("orders", "2"), 2).ok());
  clock.shift = absl::Seconds(61);
  const auto explained = [&] {
    return absl::StrContains(sink->WaitingFor(), "topic orders [0] has no leader");
  };
  for (int i = 0; i < 300 && !explained(); ++i) {
    Poller::Real().WaitReadable({sink->ready_fd()}, absl::Milliseconds(100));
    ASSERT_TRUE(sink->Poll(acks_).ok());
  }
  EXPECT_TRUE(explained()) << sink->WaitingFor();
  clock.shift = absl::Seconds(122);
  EXPECT_TRUE(explained()) << sink->WaitingFor();
  EXPECT_TRUE(sink->Poll(acks_).ok());
  cluster_.GiveLeader("orders", 0);
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  EXPECT_EQ(acks_.by_ticket[2], 1u);
}

}  // namespace
}  // namespace walduct::sink
