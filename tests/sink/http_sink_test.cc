// The sink http beyond the contract: what a request holds, what is waited for, what is given up.
#include "sink/http/http_sink.h"

#include <gmock/gmock.h>
#include <poll.h>

#include <atomic>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "sink/http/answers.h"
#include "sink/http/request_writer.h"
#include "sink/http/webhook.h"
#include "tests/sink/contract.h"
#include "tests/support/await.h"
#include "tests/support/http_server.h"

namespace walduct::sink {
namespace {

using test::HttpAnswer;
using test::HttpCall;
using test::HttpServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

event::Record ChangeOf(absl::string_view topic, absl::string_view key, absl::string_view value) {
  event::Record record;
  record.topic = topic;
  record.key = key;
  record.value = value;
  record.id = {.lsn = 0xAB, .number = 4, .part = 1, .of = event::RecordId::Of::kChange};
  return record;
}

TEST(TextTemplateTest, PlacesAreFilled) {
  const event::Header headers[] = {{"type", R"({"schema":{"type":"string"},"payload":"Paid"})"},
                                   {"plain", R"("a b")"},
                                   {"none", "", true}};
  event::Record record = ChangeOf("srv.t", R"("k/1")", "v");
  record.headers = headers;
  const auto of = [&](absl::string_view text, bool quoted) {
    return TextTemplate::Parse(text)->Of(record, "msg_1", quoted);
  };
  EXPECT_EQ(of("http://h/${topic}/{key}?t={header:type}", true), "http://h/srv.t/k%2f1?t=Paid");
  EXPECT_EQ(of("{header:plain}|{header:none}|{header:missing}|{id}", false), "a b|||msg_1");
  record.key = R"({"id":7})";
  EXPECT_EQ(of("{key}", true), "7");
  record.key = R"({"id":7,"of":"a"})";
  EXPECT_EQ(of("{key}", false), *record.key);
  for (const absl::string_view bad : {"{topic", "{table}", "{header:}"})
    EXPECT_FALSE(TextTemplate::Parse(bad).ok()) << bad;
  EXPECT_TRUE(TextTemplate::Parse("http://{topic}/")->varies_host());
  EXPECT_FALSE(TextTemplate::Parse("http://h/{topic}")->varies_host());
}

TEST(MessageIdTest, IsTheSameForAChangeAndUnlikeForOthers) {
  const event::Record change = ChangeOf("srv.t", "k", "v");
  const std::string id = MessageIdOf(change, "one", 1);
  EXPECT_EQ(id, MessageIdOf(change, "two", 2));
  EXPECT_THAT(id, testing::EndsWith("-ab-4-1"));
  EXPECT_NE(id, MessageIdOf(ChangeOf("other.t", "k", "v"), "one", 1));
  event::Record row = change;
  row.id = {.lsn = 0xAB, .of = event::RecordId::Of::kRow};
  EXPECT_NE(MessageIdOf(row, "one", 1), MessageIdOf(row, "one", 2));
  row.id.row = {.high = 1, .low = 2};
  EXPECT_EQ(MessageIdOf(row, "one", 1), MessageIdOf(row, "two", 2)) << "it is polled";
  EXPECT_EQ(MessageIdOf(row, "one", 1), "msg_00000000000000010000000000000002-0");
}

TEST(AnswersTest, EachStatusIsTakenPassingOrRefused) {
  using Kind = Answer::Kind;
  for (const int status : {200, 201, 202, 204, 226})
    EXPECT_EQ(JudgeAnswer(status, "h").kind, Kind::kTaken) << status;
  for (const int status : {302, 307, 401, 408, 425, 429, 500, 502, 503, 504})
    EXPECT_EQ(JudgeAnswer(status, "h").kind, Kind::kPassing) << status;
  for (const int status : {400, 403, 404, 409, 410, 413, 422}) {
    const Answer answer = JudgeAnswer(status, "h");
    EXPECT_EQ(answer.kind, Kind::kRefused) << status;
    EXPECT_TRUE(absl::IsInvalidArgument(answer.status));
    EXPECT_NE(ErrorHint(answer.status), "");
  }
  EXPECT_EQ(ErrorReason(JudgeAnswer(410, "h").status), "receiver_gone");
  EXPECT_EQ(ErrorReason(JudgeAnswer(413, "h").status), "record_too_large");
  for (const int status : {403, 404, 405})
    EXPECT_EQ(ErrorReason(JudgeAnswer(status, "h").status), "receiver_refuses") << status;
  for (const int status : {400, 409, 422})
    EXPECT_EQ(ErrorReason(JudgeAnswer(status, "h").status), "record_refused") << status;
}

TEST(WebhookTest, SecretsAreOf24To64Bytes) {
  EXPECT_TRUE(WebhookKey("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz").ok());
  EXPECT_TRUE(WebhookKey("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz").ok());
  EXPECT_FALSE(WebhookKey("whsec_c2hvcnQ=").ok());
  EXPECT_FALSE(WebhookKey("no base64 at all!").ok());
}

class HttpSinkTest : public testing::Test {
 protected:
  HttpSinkTest() {
    options_.url = *TextTemplate::Parse(server_.url());
    options_.retry_pause = absl::Milliseconds(1);
    options_.longest_pause = absl::Milliseconds(5);
  }
  std::unique_ptr<Sink> Open() {
    auto sink = HttpSink::Create(options_, Environment::Real());
    CHECK(sink.ok());
    return *std::move(sink);
  }
  absl::Status WriteAndFlush(const std::vector<std::string>& values) {
    const auto sink = Open();
    for (const std::string& value : values) {
      const absl::Status written = sink->Write(ChangeOf("t", value, value), 1);
      if (!written.ok()) return written;
    }
    return sink->Flush(acks_, absl::Seconds(30));
  }
  std::vector<std::string> Bodies() {
    std::vector<std::string> bodies;
    for (const HttpCall& call : server_.calls()) bodies.push_back(call.body);
    return bodies;
  }

  std::vector<int> answers_;  // the first ones; then 200. Set before the first record.
  HttpServer server_{[this](const HttpCall& call) {
    if (call.body == bad_ || (!bad_.empty() && absl::StrContains(call.body, bad_)))
      return HttpAnswer{.status = 422};
    const size_t at = asked_++;
    return HttpAnswer{.status = at < answers_.size() ? answers_[at] : 200};
  }};
  std::string bad_;
  size_t asked_ = 0;
  HttpSinkOptions options_;
  Acknowledged acks_;
};

TEST_F(HttpSinkTest, WhatPassesIsSentAgainInItsPlace) {
  answers_ = {500, 503, 302, 401, 500, 500, 500};
  ASSERT_TRUE(WriteAndFlush({"a", "b"}).ok());
  EXPECT_EQ(acks_.records, 2u);
  EXPECT_THAT(Bodies(), ElementsAre("a", "a", "a", "a", "a", "a", "a", "a", "b"));
}

TEST_F(HttpSinkTest, AttemptsThatWereAskedForAreUsedUp) {
  options_.attempts = 3;
  answers_ = {500, 500, 500, 500};
  acks_.breaks = true;
  const absl::Status broken = WriteAndFlush({"a", "b"});
  EXPECT_EQ(ErrorReason(broken), "attempts_used_up") << broken;
  EXPECT_THAT(Bodies(), ElementsAre("a", "a", "a"));
}

TEST_F(HttpSinkTest, ARefusalIsBelievedAfterItsAttemptsAndGoneAtOnce) {
  options_.refused_attempts = 2;
  answers_ = {422, 422, 200, 410};
  ASSERT_TRUE(WriteAndFlush({"a", "b", "c"}).ok());
  ASSERT_THAT(acks_.refusals, SizeIs(2));
  EXPECT_EQ(ErrorReason(acks_.refusals[0].why), "record_refused");
  EXPECT_EQ(ErrorReason(acks_.refusals[1].why), "receiver_gone");
  EXPECT_EQ(acks_.records, 1u);
}

TEST_F(HttpSinkTest, ARefusedBatchIsTakenApart) {
  options_.batch = true;
  options_.batch_most = 10;
  options_.refused_attempts = 1;
  bad_ = "bad";
  answers_ = {500};  // holds the first up, so that the others come to share a batch
  ASSERT_TRUE(WriteAndFlush({"1", "2", "bad", "4"}).ok());
  ASSERT_THAT(acks_.refusals, SizeIs(1));
  EXPECT_EQ(acks_.refusals[0].record.value, "bad");
  EXPECT_EQ(acks_.records, 3u);
  EXPECT_THAT(Bodies(), testing::Contains("[4]"));
}

TEST_F(HttpSinkTest, AHeaderThatHttpDoesNotHaveIsRefusedAtOnce) {
  const event::Header headers[] = {{"my tenant", "a"}};
  event::Record record = ChangeOf("t", "k", "v");
  record.headers = headers;
  const absl::Status refused = Open()->Write(record, 1);
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_EQ(ErrorReason(refused), "record_refused");
}

TEST_F(HttpSinkTest, TombstonesAreSentWhereThatIsAskedFor) {
  event::Record tombstone = ChangeOf("t", "k", "");
  tombstone.value.reset();
  for (const bool sent : {false, true}) {
    options_.tombstones = sent;
    const auto sink = Open();
    ASSERT_TRUE(sink->Write(tombstone, 1).ok());
    ASSERT_TRUE(sink->Flush(acks_, absl::Seconds(30)).ok());
  }
  EXPECT_EQ(acks_.records, 2u);
  EXPECT_THAT(Bodies(), ElementsAre("null"));
  options_.tombstones = false;
  const auto sink = Open();
  ASSERT_TRUE(sink->WriteLetter(tombstone, 1).ok());
  ASSERT_TRUE(sink->Flush(acks_, absl::Seconds(30)).ok());
  EXPECT_THAT(Bodies(), ElementsAre("null", "null")) << "a dead letter is sent in any case";
}

// What it sent later would come again with the next sink, and before what was refused.
TEST_F(HttpSinkTest, ASinkThatHasEndedSendsNothingMoreAndTakesWhatWasAnswered) {
  std::atomic<bool> ended = false;
  HttpServer server([&](const HttpCall& call) {
    if (call.body == "bad") return HttpAnswer{.status = 422};
    test::Await([&] { return ended.load(); });
    return HttpAnswer{};
  });
  options_.url = *TextTemplate::Parse(server.url());
  options_.in_flight = 2;
  options_.refused_attempts = 1;
  acks_.breaks = true;
  const auto sink = Open();
  ASSERT_TRUE(sink->Write(ChangeOf("t", "k", "bad"), 1).ok());
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(sink->Write(ChangeOf("t", absl::StrCat("l", i), "v"), 1).ok());
  EXPECT_TRUE(test::Await([&] { return !sink->Poll(acks_).ok(); }));
  EXPECT_TRUE(absl::IsDeadlineExceeded(sink->Flush(acks_, absl::Milliseconds(50))))
      << "an answer is still to come";
  ended = true;
  EXPECT_TRUE(absl::IsInvalidArgument(sink->Flush(acks_, absl::Seconds(30))));
  EXPECT_LE(server.calls().size(), 3u) << "what was on its way";
  EXPECT_EQ(acks_.records, server.calls().size() - 1);
}

bool HasCome(const Sink& sink, absl::Duration within) {
  pollfd waits = {.fd = sink.ready_fd(), .events = POLLIN, .revents = 0};
  return poll(&waits, 1, static_cast<int>(within / absl::Milliseconds(1))) > 0;
}

// Who would have to wait for an answer to the next one, or for the sender to look around.
TEST_F(HttpSinkTest, WhatIsDeliveredIsToldWhileMoreIsSent) {
  std::atomic<bool> ended = false;
  HttpServer server([&](const HttpCall& call) {
    if (call.body == "b") test::Await([&] { return ended.load(); });
    return HttpAnswer{};
  });
  options_.url = *TextTemplate::Parse(server.url());
  const auto sink = Open();
  for (const absl::string_view value : {"a", "b"})
    ASSERT_TRUE(sink->Write(ChangeOf("t", value, value), 1).ok());
  EXPECT_TRUE(sink->Poll(acks_).ok());
  EXPECT_TRUE(test::Await([&] { return server.calls().size() == 2; }));
  EXPECT_TRUE(acks_.records == 1 || HasCome(*sink, absl::Milliseconds(500)));
  EXPECT_TRUE(sink->Poll(acks_).ok());
  EXPECT_EQ(acks_.records, 1u);
  ended = true;
  EXPECT_TRUE(sink->Flush(acks_, absl::Seconds(30)).ok());
}

// Else whoever waits for it would spin.
TEST_F(HttpSinkTest, WhatIsTakenBeforeItIsToldLeavesNothingReadable) {
  const auto sink = Open();
  for (size_t i = 1; i <= 50; ++i) {
    ASSERT_TRUE(sink->Write(ChangeOf("t", "k", "v"), 1).ok());
    const absl::Duration begin = Clock::Real().Monotonic();
    while (acks_.records < i && Clock::Real().Monotonic() - begin < absl::Seconds(10))
      EXPECT_TRUE(sink->Poll(acks_).ok());
    ASSERT_EQ(acks_.records, i);
    ASSERT_TRUE(test::Await([&] {
      return sink->Poll(acks_).ok() && !HasCome(*sink, absl::ZeroDuration());
    })) << i;
  }
}

// A server, or one that gives out tokens, that takes connections and says nothing.
TEST_F(HttpSinkTest, AStartThatWaitsCanBeInterrupted) {
  HttpServer server([](const HttpCall&) { return HttpAnswer{.never = true}; });
  options_.url = *TextTemplate::Parse(absl::StrCat("https", server.url().substr(4)));
  for (const bool token : {false, true}) {
    if (token) {
      options_.login.kind = HttpLogin::Kind::kOAuth2;
      options_.login.url = server.url();
    }
    const auto sink = Open();
    const absl::Duration begin = Clock::Real().Monotonic();
    const auto stopping = [&] {
      return Clock::Real().Monotonic() - begin > absl::Milliseconds(200);
    };
    EXPECT_TRUE(absl::IsCancelled(sink->PrepareTopics({}, stopping)));
    EXPECT_LT(Clock::Real().Monotonic() - begin, absl::Seconds(2));
  }
}

TEST_F(HttpSinkTest, NobodyThereIsSaid) {
  options_.url = *TextTemplate::Parse(test::DeadUrl());
  const auto sink = Open();
  EXPECT_EQ(ErrorReason(sink->PrepareTopics({})), "http_unreachable");
  ASSERT_TRUE(sink->Write(ChangeOf("t", "k", "v"), 1).ok());
  const absl::Status late = sink->Flush(acks_, absl::Milliseconds(200));
  EXPECT_TRUE(absl::IsDeadlineExceeded(late)) << late;
  EXPECT_THAT(sink->WaitingFor(), HasSubstr("127.0.0.1"));
  EXPECT_EQ(acks_.records, 0u);
}

}  // namespace
}  // namespace walduct::sink
