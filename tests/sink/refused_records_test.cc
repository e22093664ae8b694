// What the Kafka sink does about records that only a broker refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/error.h"
#include "base/poller.h"
#include "kafka/look/topic_reader.h"
#include "kafka/options.h"
#include "kafka/producer.h"
#include "sink/kafka_sink_type.h"
#include "sink/refusals.h"
#include "tests/kafka/mock_cluster.h"

namespace walduct::sink {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);

class Acks final : public AckHandler {
 public:
  void OnAcknowledged(Ticket ticket, uint32_t count) override { by_ticket[ticket] += count; }
  std::map<Ticket, uint32_t> by_ticket;
};

class RefusedRecordsTest : public testing::Test {
 protected:
  RefusedRecordsTest() { cluster_.CreateTopic("t", 1); }

  std::unique_ptr<Sink> Open() {
    kafka::KafkaOptions kafka;
    kafka.bootstrap_servers = cluster_.bootstrap_servers();
    auto sink = KafkaDestination(options_).Open({kafka, Environment::Real(), &refusals_});
    EXPECT_TRUE(sink.ok()) << sink.status();
    return *std::move(sink);
  }
  // As the data thread does it.
  absl::Status WriteWaiting(Sink& sink, absl::string_view value, Ticket ticket) {
    const event::Record record = {
        .topic = "t", .partition = {}, .key = "k", .value = value, .headers = {}};
    for (int i = 0; i < 300; ++i) {
      const absl::Status status = sink.Write(record, ticket);
      if (!absl::IsResourceExhausted(status)) return status;
      Poller::Real().WaitReadable({sink.ready_fd()}, absl::Milliseconds(100));
      if (absl::Status polled = sink.Poll(acks_); !polled.ok()) return polled;
    }
    return absl::DeadlineExceededError("never taken");
  }
  std::vector<std::string> Published() const {
    std::vector<std::string> values;
    const absl::Status status = kafka::ReadTopic(
        {.bootstrap_servers = cluster_.bootstrap_servers(),
         .java = {},
         .topic = "t",
         .timeout = kPatience,
         .environment = Environment::Real()},
        [&](const kafka::TopicRecord& record) { values.emplace_back(record.value.value_or("")); });
    EXPECT_TRUE(status.ok()) << status;
    return values;
  }
  void RefuseNext(rd_kafka_resp_err_t error) {
    cluster_.FailNext(kafka::MockCluster::kProduce, {error});
  }

  KafkaSinkOptions options_;
  kafka::MockCluster cluster_;
  Refusals refusals_;
  Acks acks_;
};

TEST_F(RefusedRecordsTest, SNK06_TheBatchBreaksTheSinkAndTheNextOneFindsTheRecord) {
  const std::string large(500, 'x');
  {
    const auto sink = Open();
    ASSERT_TRUE(WriteWaiting(*sink, "before", 1).ok());
    ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
    RefuseNext(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    ASSERT_TRUE(WriteWaiting(*sink, large, 2).ok());
    const absl::Status broken = sink->Flush(acks_, kPatience);
    EXPECT_EQ(ErrorReason(broken), "batch_refused") << broken;
    EXPECT_EQ(sink->Poll(acks_), broken);
  }
  const auto sink = Open();
  ASSERT_TRUE(WriteWaiting(*sink, "small", 1).ok());
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  RefuseNext(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  const absl::Status refused = WriteWaiting(*sink, large, 7);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_EQ(ErrorReason(refused), "record_too_large");
  EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("501 bytes"));
  EXPECT_EQ(acks_.by_ticket.count(7), 0u);
  // Nothing is broken: what comes behind it is published.
  ASSERT_TRUE(WriteWaiting(*sink, "behind", 8).ok());
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  EXPECT_EQ(acks_.by_ticket[8], 1u);
  EXPECT_EQ(Published(), (std::vector<std::string>{"before", "small", "behind"}));
}

TEST_F(RefusedRecordsTest, AnotherTopicsLossIsNotForgottenForABatchThatIsRefused) {
  const auto sink = Open();
  ASSERT_TRUE(WriteWaiting(*sink, "before", 1).ok());
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  RefuseNext(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  ASSERT_TRUE(WriteWaiting(*sink, "refused", 2).ok());
  (*refusals_.acked())["u"].lost = true;  // as a report behind the refusal shows it
  const absl::Status broken = sink->Flush(acks_, kPatience);
  EXPECT_EQ(ErrorReason(broken), "batch_refused") << broken;
  EXPECT_THAT(refusals_.deleted(), testing::ElementsAre("u"));
}

TEST_F(RefusedRecordsTest, ARecordThatWentAloneAndWasTakenIsAcknowledgedOnce) {
  refusals_
      .Learn(Error(absl::StatusCode::kInvalidArgument, "record_too_large", "x", ""),
             {.topic = "t", .records = 1, .bytes = 100, .largest = 100}, {}, absl::ZeroDuration())
      .IgnoreError();
  const auto sink = Open();
  const std::string large(200, 'x');
  ASSERT_TRUE(WriteWaiting(*sink, "a", 1).ok());
  ASSERT_TRUE(WriteWaiting(*sink, large, 2).ok());
  ASSERT_TRUE(WriteWaiting(*sink, "b", 3).ok());
  ASSERT_TRUE(WriteWaiting(*sink, large, 4).ok());
  ASSERT_TRUE(sink->Flush(acks_, kPatience).ok());
  EXPECT_EQ(acks_.by_ticket, (std::map<Ticket, uint32_t>{{1, 1}, {2, 1}, {3, 1}, {4, 1}}));
  EXPECT_EQ(Published(), (std::vector<std::string>{"a", large, "b", large}));
}

TEST_F(RefusedRecordsTest, ATopicThatIsDeniedCostsItsRecordsWhereThatIsTolerated) {
  options_.tolerates_denied = true;
  {
    const auto sink = Open();
    RefuseNext(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    ASSERT_TRUE(WriteWaiting(*sink, "v", 1).ok());
    EXPECT_EQ(ErrorReason(sink->Flush(acks_, kPatience)), "batch_refused");
  }
  const auto sink = Open();
  const absl::Status refused = WriteWaiting(*sink, "v", 1);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_EQ(ErrorReason(refused), "topic_authorization_failed");
}

TEST_F(RefusedRecordsTest, ATopicThatIsDeniedBreaksTheSinkOtherwise) {
  const auto sink = Open();
  RefuseNext(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  ASSERT_TRUE(WriteWaiting(*sink, "v", 1).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(sink->Flush(acks_, kPatience)));
}

}  // namespace
}  // namespace walduct::sink
