#include "offset/topic/offset_topics.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/poller.h"
#include "tests/kafka/mock_cluster.h"
#include "tests/support/clock_ahead.h"

namespace walduct::offset {
namespace {

constexpr char kTopic[] = "offsets";

using test::ClockAhead;

class OffsetTopicsTest : public testing::Test {
 protected:
  OffsetTopicsTest() {
    cluster_.CreateTopic(kTopic, 2);
    Produce("a", "1", 0);
    Produce("b", "2", 1);
    Produce("a", "3", 0);
  }
  void Produce(const std::string& key, const std::string& value, int partition) {
    cluster_.Produce(kTopic, key, value, partition);
  }
  kafka::TopicReadOptions Options() {
    return {.bootstrap_servers = cluster_.bootstrap_servers(),
            .java = {},
            .topic = kTopic,
            .timeout = absl::Seconds(20),
            .awaits_transactions = false,
            .until_silent = true,
            .environment = Environment(&clock_, &Poller::Real())};
  }
  OffsetTopics::Reading Read(const std::string& id = "id") {
    const auto ask_id = [&] {
      ++asked_;
      return id;
    };
    auto reading = topics_.Read(Options(), {.id = ask_id, .fit = [this] { return fit_; }});
    EXPECT_TRUE(reading.ok()) << reading.status();
    return reading.ok() ? *reading
                        : OffsetTopics::Reading{.places = std::make_shared<OffsetTopics::Places>()};
  }
  static std::string ValueOf(const OffsetTopics::Reading& reading, const std::string& key,
                             int32_t partition) {
    const auto found = reading.places->find({key, partition});
    return found == reading.places->end() ? "none" : found->second.value.value_or("erased");
  }

  kafka::MockCluster cluster_;
  ClockAhead clock_;
  OffsetTopics topics_;
  std::atomic<int> asked_{0};
  absl::Status fit_;
};

TEST_F(OffsetTopicsTest, ASecondReadingGoesOnFromTheFirst) {
  const OffsetTopics::Reading first = Read();
  EXPECT_EQ(first.records, 3u);
  EXPECT_EQ(ValueOf(first, "a", 0), "3");
  EXPECT_EQ(ValueOf(first, "b", 1), "2");
  EXPECT_EQ(Read().records, 0u);
  Produce("b", "4", 1);
  Produce("c", "5", 0);
  const OffsetTopics::Reading next = Read();
  EXPECT_EQ(next.records, 2u);
  EXPECT_EQ(ValueOf(next, "a", 0), "3");
  EXPECT_EQ(ValueOf(next, "b", 1), "4");
  EXPECT_EQ(ValueOf(next, "c", 0), "5");
  EXPECT_EQ(ValueOf(first, "b", 1), "2") << "it is somebody's";
}

TEST_F(OffsetTopicsTest, AnotherTopicOfThatNameIsReadFromItsBeginning) {
  Read("one");
  EXPECT_EQ(Read("another").records, 3u);
}

TEST_F(OffsetTopicsTest, ATopicWithoutAnIdIsReadFromItsBeginning) {
  Read("");
  EXPECT_EQ(Read("").records, 3u);
}

TEST_F(OffsetTopicsTest, WhatIsOldIsReadAgain) {
  Read();
  clock_.ahead = OffsetTopics::kFresh;
  EXPECT_EQ(Read().records, 3u) << "a tombstone may have come and gone";
  topics_.Sweep(clock_.Monotonic() + OffsetTopics::kFresh);
  EXPECT_EQ(Read().records, 3u);
}

TEST_F(OffsetTopicsTest, OneReadsForAllThatAskAtOnce) {
  constexpr int kMany = 12;
  cluster_.SlowDown(absl::Milliseconds(100));
  std::vector<std::thread> threads;
  for (int i = 0; i < kMany; ++i)
    threads.emplace_back([this] { EXPECT_EQ(ValueOf(Read(), "a", 0), "3"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(asked_, kMany / 2);
}

TEST_F(OffsetTopicsTest, AFailureIsNoReading) {
  Read();
  kafka::TopicReadOptions missing = Options();
  missing.topic = "nowhere";
  cluster_.SetTopicError("nowhere", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  EXPECT_FALSE(
      topics_.Read(missing, {.id = [] { return ""; }, .fit = [] { return absl::OkStatus(); }})
          .ok());
  EXPECT_EQ(Read().records, 0u) << "of another topic nothing is forgotten";
}

TEST_F(OffsetTopicsTest, ATopicThatEndsBeforeWhereItIsToBeReadFromIsRefused) {
  kafka::TopicReadOptions options = Options();
  options.from = {2, 5};
  EXPECT_TRUE(absl::IsOutOfRange(kafka::TopicStream::Open(options).status()));
  options.from = {2, 1, 0};
  EXPECT_TRUE(absl::IsOutOfRange(kafka::TopicStream::Open(options).status()));
  options.from = {1, 1};
  const auto stream = kafka::TopicStream::Open(options);
  ASSERT_TRUE(stream.ok()) << stream.status();
  const auto record = (*stream)->Next();
  ASSERT_TRUE(record.ok() && *record);
  EXPECT_EQ((*record)->offset, 1);
  const auto end = (*stream)->Next();
  EXPECT_TRUE(end.ok() && !*end);
}

TEST_F(OffsetTopicsTest, WhetherItIsFitIsAskedWithEachReading) {
  EXPECT_TRUE(Read().fit.ok());
  fit_ = absl::FailedPreconditionError("not compacted");
  EXPECT_EQ(Read().fit, fit_);
  fit_ = absl::OkStatus();
  EXPECT_TRUE(Read().fit.ok());
}

}  // namespace
}  // namespace walduct::offset
