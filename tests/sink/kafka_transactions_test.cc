// What a broker can answer in a transaction, and what becomes of it. What transactions promise is
// in contract_transactions_test.cc.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "kafka/options.h"
#include "kafka/properties.h"
#include "sink/kafka_sink.h"
#include "sink/refusals.h"
#include "tests/kafka/mock_cluster.h"
#include "tests/sink/contract.h"

namespace walduct::sink {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr int16_t kInitProducerId = 22, kAddPartitions = 24, kEndTransaction = 26;

// The real time, and what a test adds to it.
class ShiftedClock final : public Clock {
 public:
  absl::Time Now() override { return Clock::Real().Now(); }
  absl::Duration Monotonic() override { return Clock::Real().Monotonic() + shift; }
  absl::Duration shift;
};

// Does something before the first wait.
class ToldPoller final : public Poller {
 public:
  void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) override {
    if (const auto told = std::exchange(on_wait, nullptr)) told();
    Poller::Real().WaitReadable(fds, timeout);
  }
  void WaitWritable(int fd, absl::Duration timeout) override {
    Poller::Real().WaitWritable(fd, timeout);
  }
  std::function<void()> on_wait;
};

class KafkaTransactionsTest : public testing::Test {
 protected:
  void Open(const std::map<std::string, std::string>& producer = {}, Refusals* refusals = nullptr) {
    KafkaSinkOptions options;
    options.tolerates_denied = tolerates_denied_;
    kafka::KafkaOptions kafka;
    kafka.bootstrap_servers = cluster_.bootstrap_servers();
    kafka.producer = producer;
    options.transactional_id = "writer";
    auto sink = KafkaSink::Create(options, kafka, {&clock_, &poller_}, refusals);
    ASSERT_TRUE(sink.ok()) << sink.status();
    sink_ = *std::move(sink);
    transactions_ = sink_->transactions();
    ASSERT_NE(transactions_, nullptr);
  }
  void OpenAndBegin(Refusals* refusals = nullptr) {
    ASSERT_NO_FATAL_FAILURE(Open({}, refusals));
    ASSERT_TRUE(transactions_->TakeOver().ok());
    ASSERT_TRUE(transactions_->Begin().ok());
  }
  static event::Record Of(absl::string_view topic) {
    return {.topic = topic, .partition = {}, .key = "k", .value = "v", .headers = {}};
  }
  absl::Status Write(absl::string_view topic = "t") {
    return Repeat([this, topic]() -> std::optional<absl::Status> {
      absl::Status written = sink_->Write(Of(topic), 1);
      if (absl::IsResourceExhausted(written)) return std::nullopt;
      return written;
    });
  }
  absl::Status Commit() {
    if (absl::Status started = transactions_->StartCommit(Of("p")); !started.ok()) return started;
    return Repeat([this] { return transactions_->PollCommit(); });
  }
  absl::Status Repeat(const std::function<std::optional<absl::Status>()>& step) {
    const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
    while (Clock::Real().Monotonic() < deadline) {
      if (const std::optional<absl::Status> answer = step()) return *answer;
      Poller::Real().WaitReadable({sink_->ready_fd()}, absl::Milliseconds(100));
      if (absl::Status polled = sink_->Poll(acks_); !polled.ok()) return polled;
    }
    return absl::DeadlineExceededError("no answer");
  }

  // The first error of what is asked again and again, with nothing taken from Kafka meanwhile.
  static absl::Status FirstError(const std::function<std::optional<absl::Status>()>& step) {
    const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
    while (Clock::Real().Monotonic() < deadline) {
      const std::optional<absl::Status> answer = step();
      if (answer && !answer->ok() && !absl::IsResourceExhausted(*answer)) return *answer;
      Poller::Real().WaitReadable({}, absl::Milliseconds(5));
    }
    return absl::DeadlineExceededError("no error");
  }
  void AwaitBatch(size_t number) {
    const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
    while (cluster_.CountRequests(kafka::MockCluster::kProduce) < number) {
      ASSERT_LT(Clock::Real().Monotonic(), deadline) << "the batch was not sent";
      Poller::Real().WaitReadable({}, absl::Milliseconds(1));
    }
  }
  // The transaction fails with that, for the sake of topic u, and so much later a batch of topic t
  // is refused. A call of it hears of the first alone, as of a batch whose report is late.
  absl::Status FailWithABatchOnItsWay(
      absl::Duration time, rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION,
      rd_kafka_resp_err_t of_batch = RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
    EXPECT_TRUE(Write("u").ok());  // it is known: nothing is asked behind the batch
    EXPECT_TRUE(Commit().ok());
    EXPECT_TRUE(transactions_->Begin().ok());
    EXPECT_TRUE(Write("t").ok());
    EXPECT_TRUE(sink_->Flush(acks_, kPatience).ok());
    cluster_.FailNextAfter(kafka::MockCluster::kProduce, of_batch, time);
    cluster_.FailNext(kAddPartitions, {error});
    const size_t batches = cluster_.CountRequests(kafka::MockCluster::kProduce);
    EXPECT_TRUE(Write("t").ok());
    AwaitBatch(batches + 1);
    EXPECT_TRUE(Write("u").ok());
    return FirstError([this] { return sink_->Write(Of("u"), 1); });
  }

  ShiftedClock clock_;
  ToldPoller poller_;
  bool tolerates_denied_ = false;
  Refusals refusals_;
  kafka::MockCluster cluster_;
  std::unique_ptr<Sink> sink_;
  SinkTransactions* transactions_ = nullptr;
  Acknowledged acks_;
};

TEST_F(KafkaTransactionsTest, OneAfterTheOther) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin());
  for (uint32_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(Write().ok());
    const absl::Status committed = Commit();
    ASSERT_TRUE(committed.ok()) << committed;
    ASSERT_TRUE(sink_->Poll(acks_).ok());
    EXPECT_EQ(acks_.records, i);
    ASSERT_TRUE(transactions_->Begin().ok());
  }
}

TEST_F(KafkaTransactionsTest, TheDescriptorWakesForAcknowledgements) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin());
  ASSERT_TRUE(Write().ok());
  ASSERT_TRUE(Commit().ok());
  const absl::Duration begin = Clock::Real().Monotonic();
  Poller::Real().WaitReadable({sink_->ready_fd()}, kPatience);
  EXPECT_LT(Clock::Real().Monotonic() - begin, kPatience);
  ASSERT_TRUE(sink_->Poll(acks_).ok());
  EXPECT_EQ(acks_.records, 1u);
}

TEST_F(KafkaTransactionsTest, TheTimeOfATransactionIsTheClients) {
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(transactions_->timeout(), absl::Minutes(15));
  ASSERT_NO_FATAL_FAILURE(Open({{"transaction.timeout.ms", "60000"}}));
  EXPECT_EQ(transactions_->timeout(), absl::Minutes(1));
}

// While Kafka ends what a killed process had open it has the next one ask again after half a
// second: longer than the lease of what is sent.
TEST_F(KafkaTransactionsTest, WhatIsAskedAgainIsSentThoughALeaseHasBegun) {
  ASSERT_NO_FATAL_FAILURE(Open());
  cluster_.FailNext(kInitProducerId, {RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS});
  sink_->RenewPermit();
  const absl::Status taken = transactions_->TakeOver();
  EXPECT_TRUE(taken.ok()) << taken;
}

TEST_F(KafkaTransactionsTest, AMissingRightIsNamed) {
  ASSERT_NO_FATAL_FAILURE(Open());
  cluster_.FailNext(kInitProducerId, {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED});
  EXPECT_EQ(ErrorReason(transactions_->TakeOver()), "transactional_id_authorization_failed");
}

TEST_F(KafkaTransactionsTest, ATimeThatBrokersDoNotAllowIsNamed) {
  ASSERT_NO_FATAL_FAILURE(Open());
  cluster_.FailNext(kInitProducerId, {RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT});
  EXPECT_EQ(ErrorReason(transactions_->TakeOver()), "transaction_timeout_refused");
}

// librdkafka itself answers only that its state does not allow the call.
TEST_F(KafkaTransactionsTest, WhatFailedTheTransactionIsTheError) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin());
  cluster_.FailNext(kAddPartitions, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  absl::Status status = Write();
  if (status.ok()) status = Commit();
  EXPECT_EQ(ErrorReason(status), "topic_authorization_failed") << status;
  EXPECT_EQ(ErrorReason(sink_->Write(Of("t"), 2)), "topic_authorization_failed") << "for good";
}

TEST_F(KafkaTransactionsTest, ASecondWriterOfTheIdIsAFence) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin());
  ASSERT_TRUE(Write().ok());
  cluster_.FailNext(kEndTransaction, {RD_KAFKA_RESP_ERR_PRODUCER_FENCED});
  const absl::Status committed = Commit();
  EXPECT_EQ(ErrorReason(committed), "fenced") << committed;
  EXPECT_TRUE(absl::IsFailedPrecondition(committed));
  EXPECT_EQ(ErrorReason(sink_->Poll(acks_)), "fenced");
  EXPECT_EQ(acks_.records, 0u);
}

// To the producer it looks the same.
TEST_F(KafkaTransactionsTest, ATransactionThatTookItsWholeTimeWasGivenUpByTheBroker) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin());
  ASSERT_TRUE(Write().ok());
  clock_.shift = absl::Minutes(16);
  cluster_.FailNext(kEndTransaction, {RD_KAFKA_RESP_ERR_PRODUCER_FENCED});
  const absl::Status committed = Commit();
  EXPECT_EQ(ErrorReason(committed), "transaction_expired") << committed;
  EXPECT_TRUE(absl::IsUnavailable(committed));
}

TEST_F(KafkaTransactionsTest, AnAbortAfterAFailure) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin());
  cluster_.FailNext(kafka::MockCluster::kProduce, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
  ASSERT_TRUE(Write().ok());
  EXPECT_EQ(ErrorReason(sink_->Flush(acks_, kPatience)), "record_too_large");
  EXPECT_EQ(ErrorReason(transactions_->Abort(kPatience)), "record_too_large") << "still broken";
  EXPECT_EQ(acks_.records, 0u);
}

TEST_F(KafkaTransactionsTest, SNK06_WhatWasRefusedIsLearntThoughACallHearsOfItFirst) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin(&refusals_));
  ASSERT_TRUE(Write().ok());
  ASSERT_TRUE(sink_->Flush(acks_, kPatience).ok());
  cluster_.FailNext(kafka::MockCluster::kProduce, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
  const absl::Status broken = FirstError([this] { return sink_->Write(Of("t"), 1); });
  EXPECT_EQ(ErrorReason(broken), "batch_refused") << broken;
  EXPECT_NE(refusals_.Find("t"), nullptr);
  EXPECT_EQ(sink_->Poll(acks_), broken) << "for good";
}

TEST_F(KafkaTransactionsTest, SNK06_ReportsOnTheirWayAreWaitedFor) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin(&refusals_));
  const absl::Status broken = FailWithABatchOnItsWay(absl::Milliseconds(800));
  EXPECT_EQ(ErrorReason(broken), "batch_refused") << broken;
  // By its own failure, not by that of the other topic.
  ASSERT_NE(refusals_.Find("t"), nullptr);
  EXPECT_EQ(refusals_.Find("t")->alone_left, 0u);
  EXPECT_LT(refusals_.Find("t")->alone_from, 100u);
}

// The call's record is none of what was refused: it must not be given up for it.
TEST_F(KafkaTransactionsTest, SNK06_ABatchThatIsNotReportedInTimeMakesBatchesSmaller) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin(&refusals_));
  poller_.on_wait = [&] { clock_.shift = absl::Minutes(1); };
  const absl::Status broken =
      FailWithABatchOnItsWay(absl::Minutes(1), RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  EXPECT_EQ(ErrorReason(broken), "batch_refused") << broken;
  const size_t first = refusals_.batch_bytes();
  EXPECT_GT(first, 0u);
  EXPECT_LT(first, 10'000u) << "less than was in flight";
}

TEST_F(KafkaTransactionsTest, SNK06_ABatchThatIsNotReportedInTimeIsLookedForOneByOne) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin(&refusals_));
  poller_.on_wait = [&] { clock_.shift = absl::Minutes(1); };
  const absl::Status broken =
      FailWithABatchOnItsWay(absl::Minutes(1), RD_KAFKA_RESP_ERR_INVALID_RECORD);
  EXPECT_EQ(ErrorReason(broken), "batch_refused") << broken;
  ASSERT_NE(refusals_.Find("t"), nullptr);
  EXPECT_GT(refusals_.Find("t")->alone_left, 0u);
}

// Which topic it is the report alone says.
TEST_F(KafkaTransactionsTest, ADeniedTopicIsLetPassThoughACallHearsOfItFirst) {
  tolerates_denied_ = true;
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin(&refusals_));
  const absl::Status broken =
      FailWithABatchOnItsWay(absl::Milliseconds(800), RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
                             RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  EXPECT_EQ(ErrorReason(broken), "batch_refused") << broken;
  ASSERT_NE(refusals_.Find("t"), nullptr);
  EXPECT_EQ(ErrorReason(refusals_.Find("t")->refused), "topic_authorization_failed");
}

// Nothing would be learnt from beginning anew.
TEST_F(KafkaTransactionsTest, SNK06_WithoutReportsTheErrorStays) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin(&refusals_));
  int waits = 0;
  poller_.on_wait = [&] {
    ++waits;
    clock_.shift = absl::Minutes(1);
  };
  const absl::Status broken = FailWithABatchOnItsWay(absl::Minutes(1));
  EXPECT_EQ(ErrorReason(broken), "topic_name_invalid") << broken;
  EXPECT_EQ(waits, 1) << "as long as reports may come";
  EXPECT_EQ(refusals_.Find("t"), nullptr);
}

TEST_F(KafkaTransactionsTest, AnAbortIsGivenUpInTime) {
  ASSERT_NO_FATAL_FAILURE(OpenAndBegin());
  ASSERT_TRUE(Write().ok());
  ASSERT_TRUE(sink_->Flush(acks_, kPatience).code() == absl::StatusCode::kOk);
  cluster_.SetDown(true);
  const absl::Duration begin = Clock::Real().Monotonic();
  EXPECT_EQ(ErrorReason(transactions_->Abort(absl::Milliseconds(200))), "transaction_not_aborted");
  EXPECT_LT(Clock::Real().Monotonic() - begin, absl::Seconds(10));
}

TEST(TransactionalPropertiesTest, WhatThePositionNeedsIsKept) {
  const kafka::ProducerRules rules = {.transactional_id = "writer"};
  const auto native = kafka::ProducerProperties({{"delivery.timeout.ms", "2147483647"}}, rules);
  ASSERT_TRUE(native.ok());
  EXPECT_EQ(native->at("transactional.id"), "writer");
  EXPECT_EQ(native->at("message.timeout.ms"), native->at("transaction.timeout.ms"));
  for (const kafka::Properties& bad : {kafka::Properties{{"enable.idempotence", "false"}},
                                       kafka::Properties{{"partitioner.ignore.keys", "true"}},
                                       kafka::Properties{{"transactional.id", "mine"}}}) {
    EXPECT_EQ(ErrorReason(kafka::ProducerProperties(bad, rules).status()),
              "kafka_property_invalid");
  }
}

}  // namespace
}  // namespace walduct::sink
