// What AwsSender does with what a service answers: order, pauses, refusals. Over Kinesis' requests,
// to a server of this process.
#include "sink/aws/aws_sink.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <functional>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "base/error.h"
#include "kafka/send_permit.h"
#include "sink/kinesis/kinesis_target.h"
#include "tests/sink/contract.h"
#include "tests/support/await.h"
#include "tests/support/http_server.h"

namespace walduct::sink {
namespace {

using test::HttpAnswer;
using test::HttpCall;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kTaken[] = R"({"SequenceNumber":"1","ShardId":"s"})";
constexpr char kThrottled[] = R"({"ErrorCode":"ProvisionedThroughputExceededException"})";

// Of a request, in its order.
std::vector<std::string> ValuesOf(const HttpCall& call) {
  std::vector<std::string> values;
  const std::vector<std::string> parts = absl::StrSplit(call.body, "\"Data\":\"");
  for (size_t i = 1; i < parts.size(); ++i) {
    std::string value;
    CHECK(absl::Base64Unescape(parts[i].substr(0, parts[i].find('"')), &value));
    values.push_back(value);
  }
  return values;
}

std::string AnswerOf(const std::vector<std::string>& results) {
  return absl::StrCat(R"({"Records":[)", absl::StrJoin(results, ","), "]}");
}

class AwsSinkTest : public testing::Test {
 protected:
  AwsSinkTest() {
    setenv("AWS_ACCESS_KEY_ID", "a", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "b", 1);
  }
  ~AwsSinkTest() override {
    unsetenv("AWS_ACCESS_KEY_ID");
    unsetenv("AWS_SECRET_ACCESS_KEY");
  }
  std::unique_ptr<Sink> Open() {
    options_.target = std::make_shared<KinesisTarget>(KinesisTarget::Options{
        .service = {.service = "kinesis", .region = "r", .endpoint = server_.url()}});
    options_.buffer_bytes = 1 << 20;
    auto sink = AwsSink::Create(options_, Environment::Real());
    CHECK(sink.ok());
    return *std::move(sink);
  }
  absl::Status WriteAndFlush(const std::vector<std::pair<std::string, std::string>>& records) {
    const auto sink = Open();
    for (const auto& [key, value] : records) {
      event::Record record;
      record.topic = "t";
      record.key = key;
      record.value = value;
      if (value == "-") record.value.reset();
      const absl::Status written = sink->Write(record, 1);
      if (!written.ok()) return written;
    }
    return sink->Flush(acks_, absl::Seconds(30));
  }
  std::vector<std::vector<std::string>> Requests() {
    std::vector<std::vector<std::string>> requests;
    for (const HttpCall& call : server_.calls()) requests.push_back(ValuesOf(call));
    return requests;
  }

  AwsSinkOptions options_;
  Acknowledged acks_;
  // By number of the request; absent: it is taken.
  std::function<std::optional<HttpAnswer>(size_t, const HttpCall&)> answer_ =
      [](size_t, const HttpCall&) { return std::nullopt; };
  size_t asked_ = 0;
  test::HttpServer server_{[this](const HttpCall& call) {
    if (auto answer = answer_(asked_++, call)) return *answer;
    return HttpAnswer{.body = AnswerOf(std::vector<std::string>(ValuesOf(call).size(), kTaken))};
  }};
};

TEST_F(AwsSinkTest, NoRequestHasAKeyTwice) {
  ASSERT_TRUE(WriteAndFlush({{"k", "1"}, {"l", "2"}, {"", "3"}, {"", "4"}, {"k", "5"}}).ok());
  EXPECT_THAT(Requests(), ElementsAre(ElementsAre("1", "2", "3", "4"), ElementsAre("5")));
  EXPECT_EQ(acks_.records, 5u);
}

TEST_F(AwsSinkTest, WhatIsRefusedForAWhileGoesFirst) {
  answer_ = [](size_t number, const HttpCall&) -> std::optional<HttpAnswer> {
    if (number > 0) return std::nullopt;
    return HttpAnswer{.body = AnswerOf({kThrottled, kTaken, kThrottled})};
  };
  ASSERT_TRUE(WriteAndFlush({{"k", "1"}, {"l", "2"}, {"m", "3"}, {"k", "4"}}).ok());
  EXPECT_THAT(Requests(),
              ElementsAre(ElementsAre("1", "2", "3"), ElementsAre("1", "3"), ElementsAre("4")));
  EXPECT_EQ(acks_.records, 4u);
}

TEST_F(AwsSinkTest, ATroubleOfTheServiceIsWaitedFor) {
  answer_ = [](size_t number, const HttpCall&) -> std::optional<HttpAnswer> {
    if (number == 0) return HttpAnswer{.status = 500};
    if (number == 1)
      return HttpAnswer{.status = 400, .body = R"({"__type":"ThrottlingException"})"};
    if (number == 2)
      return HttpAnswer{.status = 400, .body = R"({"__type":"ExpiredTokenException"})"};
    return std::nullopt;
  };
  ASSERT_TRUE(WriteAndFlush({{"k", "1"}, {"l", "2"}}).ok());
  EXPECT_THAT(Requests(), SizeIs(4));
  EXPECT_EQ(acks_.records, 2u);
  EXPECT_TRUE(acks_.refusals.empty());
}

TEST_F(AwsSinkTest, OneThatARequestIsRefusedForIsFoundByItself) {
  answer_ = [](size_t, const HttpCall& call) -> std::optional<HttpAnswer> {
    for (const std::string& value : ValuesOf(call)) {
      if (value == "bad")
        return HttpAnswer{.status = 400,
                          .body = R"({"__type":"ValidationException","message":"it is bad"})"};
    }
    return std::nullopt;
  };
  ASSERT_TRUE(WriteAndFlush({{"k", "1"}, {"l", "bad"}, {"m", "3"}, {"l", "4"}}).ok());
  ASSERT_THAT(acks_.refusals, SizeIs(1));
  EXPECT_EQ(acks_.refusals[0].record.value, "bad");
  EXPECT_EQ(ErrorReason(acks_.refusals[0].why), "record_refused");
  EXPECT_THAT(acks_.refusals[0].why.message(), HasSubstr("it is bad"));
  EXPECT_EQ(acks_.records, 3u);
}

// What it sent later would come again with the next sink, and before what was refused.
TEST_F(AwsSinkTest, ASinkThatHasEndedSendsNothingMoreAndTakesWhatWasAnswered) {
  std::atomic<bool> ended = false;
  answer_ = [&](size_t number, const HttpCall& call) -> std::optional<HttpAnswer> {
    if (ValuesOf(call)[0] == "bad")
      return HttpAnswer{.status = 400, .body = R"({"__type":"ValidationException"})"};
    if (number == 2) test::Await([&] { return ended.load(); });
    return std::nullopt;
  };
  acks_.breaks = true;
  const auto sink = Open();
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"k", "bad"}, {"l", "1"}, {"l", "2"}, {"l", "3"}}) {
    event::Record record;
    record.topic = "t";
    record.key = key;
    record.value = value;
    ASSERT_TRUE(sink->Write(record, 1).ok());
  }
  EXPECT_TRUE(test::Await([&] { return !sink->Poll(acks_).ok(); }));
  EXPECT_TRUE(absl::IsDeadlineExceeded(sink->Flush(acks_, absl::Milliseconds(50))))
      << "an answer is still to come";
  ended = true;
  EXPECT_TRUE(absl::IsInvalidArgument(sink->Flush(acks_, absl::Seconds(30))));
  EXPECT_THAT(Requests(),
              ElementsAre(ElementsAre("bad", "1"), ElementsAre("bad"), ElementsAre("1")));
  EXPECT_EQ(acks_.records, 1u);
}

TEST_F(AwsSinkTest, AStreamThatIsMissingIsToldOfEachRecord) {
  answer_ = [](size_t, const HttpCall&) {
    return HttpAnswer{.status = 400, .body = R"({"__type":"ResourceNotFoundException"})"};
  };
  ASSERT_TRUE(WriteAndFlush({{"k", "1"}, {"l", "2"}, {"k", "3"}}).ok());
  ASSERT_THAT(acks_.refusals, SizeIs(3));
  for (const auto& refusal : acks_.refusals) {
    EXPECT_TRUE(absl::IsInvalidArgument(refusal.why));
    EXPECT_EQ(ErrorReason(refusal.why), "topic_missing");
  }
  EXPECT_EQ(acks_.refusals[2].record.value, "3") << "in their order";
}

TEST_F(AwsSinkTest, AHeartbeatWithoutAStreamIsNoTrouble) {
  answer_ = [](size_t, const HttpCall&) {
    return HttpAnswer{.status = 400, .body = R"({"__type":"ResourceNotFoundException"})"};
  };
  const auto sink = Open();
  event::Record heartbeat;
  heartbeat.topic = "__debezium-heartbeat.s";
  heartbeat.value = "{}";
  heartbeat.heartbeat = true;
  ASSERT_TRUE(sink->Write(heartbeat, 1).ok());
  ASSERT_TRUE(sink->Flush(acks_, absl::Seconds(30)).ok());
  EXPECT_TRUE(acks_.refusals.empty());
  EXPECT_EQ(acks_.records, 1u);
}

TEST_F(AwsSinkTest, AttemptsThatAreUsedUpAreOfOneRecord) {
  options_.attempts = 2;
  answer_ = [](size_t number, const HttpCall&) -> std::optional<HttpAnswer> {
    if (number == 0) return HttpAnswer{.body = AnswerOf({kThrottled, kTaken})};
    return HttpAnswer{.status = 500};
  };
  ASSERT_TRUE(WriteAndFlush({{"k", "1"}, {"l", "2"}}).ok());
  ASSERT_THAT(acks_.refusals, SizeIs(1));
  EXPECT_EQ(acks_.refusals[0].record.value, "1");
  EXPECT_EQ(ErrorReason(acks_.refusals[0].why), "attempts_used_up");
  EXPECT_THAT(acks_.refusals[0].why.message(), HasSubstr("in 2 attempts"));
}

TEST_F(AwsSinkTest, TombstonesAreLeftOutOnRequest) {
  ASSERT_TRUE(WriteAndFlush({{"k", "1"}, {"k", "-"}}).ok());
  EXPECT_THAT(Requests(), ElementsAre(ElementsAre("1"), ElementsAre("")));
  options_.tombstones = false;
  ASSERT_TRUE(WriteAndFlush({{"k", "-"}}).ok());
  EXPECT_THAT(Requests(), SizeIs(2));
  EXPECT_EQ(acks_.records, 3u);
}

// Its process may have been taken over from while it got credentials.
TEST_F(AwsSinkTest, WhatMayNotBeSentAnyMoreIsNot) {
  test::HttpServer giver([](const HttpCall&) {
    absl::SleepFor(2 * kafka::SendPermit::kLease);
    return HttpAnswer{.body = R"({"AccessKeyId":"I","SecretAccessKey":"J"})"};
  });
  unsetenv("AWS_ACCESS_KEY_ID");
  setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1);
  setenv("AWS_CONFIG_FILE", "/nonexistent", 1);
  setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", giver.url().c_str(), 1);
  const auto sink = Open();
  sink->RenewPermit();
  event::Record record;
  record.topic = "t";
  record.key = "k";
  record.value = "v";
  ASSERT_TRUE(sink->Write(record, 1).ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(sink->Flush(acks_, 4 * kafka::SendPermit::kLease)));
  EXPECT_THAT(giver.calls(), SizeIs(1));
  EXPECT_THAT(Requests(), SizeIs(0));
  sink->RenewPermit();
  EXPECT_TRUE(sink->Flush(acks_, absl::Seconds(30)).ok());
  EXPECT_THAT(Requests(), ElementsAre(ElementsAre("v")));
  for (const char* name :
       {"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI"})
    unsetenv(name);
}

TEST_F(AwsSinkTest, ItSaysForWhomItWaits) {
  answer_ = [](size_t, const HttpCall&) {
    return HttpAnswer{.status = 400, .body = R"({"__type":"AccessDeniedException"})"};
  };
  const auto sink = Open();
  event::Record record;
  record.topic = "t";
  record.key = "k";
  record.value = "v";
  ASSERT_TRUE(sink->Write(record, 1).ok());
  const absl::Status flushed = sink->Flush(acks_, absl::Seconds(1));
  EXPECT_TRUE(absl::IsDeadlineExceeded(flushed));
  EXPECT_THAT(sink->WaitingFor(), HasSubstr("AccessDeniedException"));
  EXPECT_THAT(sink->WaitingHint(), HasSubstr("policy"));
}

}  // namespace
}  // namespace walduct::sink
