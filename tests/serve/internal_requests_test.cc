// What one worker asks of another: signed, refused, counted; and who renews the key.
#include "serve/rest/internal_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/lifecycle/connector_set.h"
#include "http/listener.h"
#include "serve/rest/answers.h"
#include "serve/rest/forwarder.h"
#include "serve/topics/topic_formats.h"
#include "serve/worker/worker.h"
#include "tests/serve/memory_topics.h"
#include "tests/serve/test_assignment.h"
#include "tests/serve/test_loader.h"
#include "tests/support/fake_world.h"

namespace walduct::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

access::SessionKey KeyOf(char byte) {
  return {.bytes = std::string(32, byte), .algorithm = "HmacSHA256", .created = absl::Now()};
}

http::Request Pause() {
  http::Request request;
  request.method = "PUT";
  request.path = "/connectors/a%2Fb/pause";
  request.query = {{"x", "1 2"}};
  request.body = R"({"a":1})";
  return request;
}

// Another worker of the group, that knows what it knows.
class OtherWorker final : public http::Handler {
 public:
  OtherWorker() { listener_ = *http::Listener::Open({.host = "127.0.0.1", .port = 0}, this); }

  http::Response Handle(const http::Request& request) override {
    asked.push_back(request);
    if (request.signature.empty()) return Json("unsigned");
    if (auto refused = requests_.Refused(request, ForwardedText(request))) return *refused;
    return Json("done");
  }
  std::string url() const { return absl::StrCat("http://", listener_->address().ToString()); }

  access::SessionKeys keys{{}, Clock::Real()};
  admin::WorkerBoard board{"g", Clock::Real()};
  std::vector<http::Request> asked;

 private:
  InternalRequests requests_{&keys, &board, &Clock::Real()};
  std::unique_ptr<http::Listener> listener_;
};

class ForwardTest : public testing::Test {
 protected:
  http::Response Send(const http::Request& request = Pause()) {
    std::string why;
    return Forward(other_.url(), request, {.keys = &keys_}, &why).value();
  }

  OtherWorker other_;
  access::SessionKeys keys_{{}, Clock::Real()};
};

// By Python's hmac, with the key 00 01 … 1f.
TEST(ForwardedTextTest, BindsMethodTargetAndBody) {
  http::Request request = Pause();
  request.query.emplace("forward", "true");
  std::string key(32, '\0');
  for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<char>(i);
  EXPECT_EQ(absl::Base64Escape(*access::Mac("HmacSHA256", key, ForwardedText(request))),
            "I5oKdYtH8adDA00vyglBM3gCOyOqDdEXMdydO68LlvY=");
}

TEST_F(ForwardTest, IsSignedAndKeepsThePassword) {
  keys_.Take(KeyOf('k'), true);
  other_.keys.Take(KeyOf('k'), true);
  http::Request request = Pause();
  request.authorization = "Basic abc";
  EXPECT_EQ(Send(request).body, "done");
  ASSERT_EQ(other_.asked.size(), 1u);
  EXPECT_EQ(other_.asked[0].authorization, "Basic abc");
  EXPECT_EQ(other_.asked[0].signature_algorithm, "HmacSHA256");
  EXPECT_THAT(other_.asked[0].query, ElementsAre(Pair("forward", "true"), Pair("x", "1 2")));
  EXPECT_EQ(Send(other_.asked[0]).body, "done");
  EXPECT_THAT(other_.asked[1].query, ElementsAre(Pair("forward", "false"), Pair("x", "1 2")));
  EXPECT_FALSE(MayForward(other_.asked[1]));
}

// A signature of one request is none of another one.
TEST_F(ForwardTest, WhatIsChangedOnTheWayIsRefused) {
  keys_.Take(KeyOf('k'), true);
  other_.keys.Take(KeyOf('k'), true);
  Send();
  const http::Request sent = other_.asked[0];
  InternalRequests requests(&other_.keys, &other_.board, &Clock::Real());
  const auto refused = [&](auto change) {
    http::Request changed = sent;
    change(changed);
    const auto answer = requests.Refused(changed, ForwardedText(changed));
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(refused([](http::Request&) {}), 0);
  EXPECT_EQ(refused([](http::Request& one) { one.method = "DELETE"; }), 403);
  EXPECT_EQ(refused([](http::Request& one) { one.path = "/connectors/c/pause"; }), 403);
  EXPECT_EQ(refused([](http::Request& one) { one.query.erase("x"); }), 403);
  EXPECT_EQ(refused([](http::Request& one) { one.body += " "; }), 403);
  EXPECT_EQ(refused([](http::Request& one) { one.signature_algorithm = "HmacMD5"; }), 400);
  EXPECT_EQ(refused([](http::Request& one) { one.signature.clear(); }), 400);
  EXPECT_THAT(other_.board.Read().refused,
              ElementsAre(Pair("algorithm", 1), Pair("signature", 4), Pair("unsigned", 1)));
}

// One that has been started since has only the new key; one that has not read it only the old.
TEST_F(ForwardTest, AKeyThatHasJustChangedRefusesNobody) {
  keys_.Take(KeyOf('o'), true);
  keys_.Take(KeyOf('n'), true);
  other_.keys.Take(KeyOf('o'), true);
  EXPECT_EQ(Send().body, "done");
  EXPECT_EQ(other_.asked.size(), 1u);
  other_.keys.Take(KeyOf('n'), /*news=*/false);
  EXPECT_EQ(Send().body, "done");
  EXPECT_EQ(other_.asked.size(), 3u);
}

TEST_F(ForwardTest, AWorkerOfAnotherGroupDoesNothing) {
  keys_.Take(KeyOf('k'), true);
  other_.keys.Take(KeyOf('x'), true);
  const http::Response answer = Send();
  EXPECT_EQ(answer.status, 403);
  EXPECT_THAT(answer.body, HasSubstr("Internal request contained invalid signature."));
  EXPECT_THAT(other_.board.Read().refused, ElementsAre(Pair("signature", 1)));
}

TEST_F(ForwardTest, WithoutAKeyNothingIsSigned) { EXPECT_EQ(Send().body, "unsigned"); }

class RenewalTest : public testing::Test {
 protected:
  access::SessionKey Stored() {
    return *ReadSessionValue(*topics_.Last(InternalTopic::kConfigs, "session-key"));
  }
  size_t Written() { return topics_.Keys(InternalTopic::kConfigs).size(); }
  static Worker::Parts Parts(RenewalTest& test, access::SessionKeys* keys) {
    return {.topics = &test.topics_,
            .assignment = &test.assignment_,
            .connectors = &test.connectors_,
            .environment = Environment::Real(),
            .group = "g",
            .worker_id = "h:1",
            .version = "3.6.1.Final",
            .loader = &test.loader_,
            .keys = keys};
  }

  test::TestLoader loader_;
  test::TestAssignment assignment_;
  test::FakeWorld world_;
  engine::ConnectorSet connectors_{world_};
  test::MemoryTopics topics_;
  access::SessionKeys keys_{{}, Clock::Real()};
  Worker worker_{Parts(*this, &keys_)};
};

TEST_F(RenewalTest, AKeyThatIsNotOldIsKept) {
  ASSERT_TRUE(worker_.Load().ok());
  worker_.Reconcile();
  ASSERT_EQ(Written(), 1u);
  const access::SessionKey first = Stored();
  EXPECT_EQ(first.algorithm, "HmacSHA256");
  EXPECT_EQ(first.bytes.size(), 32u);
  EXPECT_EQ(keys_.Check("x", keys_.Sign("x").at(0)), access::SignatureVerdict::kRight);
  worker_.Reconcile();
  EXPECT_EQ(Written(), 1u);
  // Another worker, later.
  access::SessionKeys later({}, Clock::Real());
  Worker next(Parts(*this, &later));
  ASSERT_TRUE(next.Load().ok());
  next.Reconcile();
  EXPECT_EQ(Written(), 1u);
  EXPECT_EQ(later.Check("x", keys_.Sign("x").at(0)), access::SignatureVerdict::kRight);
}

TEST_F(RenewalTest, AKeyOfConnectIsReadAndAnOldOneRenewed) {
  // As a worker of Connect wrote it, long ago.
  const std::string old =
      R"({"key":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","algorithm":"HmacSHA256",)"
      R"("creation-timestamp":1795312842383})";
  EXPECT_EQ(SessionValue(*ReadSessionValue(old)), old);
  access::SessionKey key = *ReadSessionValue(old);
  key.created = absl::Now() - absl::Hours(2);
  ASSERT_TRUE(topics_
                  .Write(InternalTopic::kConfigs,
                         {{.key = std::string(kSessionKey), .value = SessionValue(key)}})
                  .ok());
  ASSERT_TRUE(worker_.Load().ok());
  worker_.Reconcile();
  EXPECT_EQ(Written(), 2u);
  EXPECT_NE(Stored().bytes, key.bytes);
}

TEST_F(RenewalTest, WhoIsNotConfirmedWritesNone) {
  ASSERT_TRUE(worker_.Load().ok());
  assignment_.confirmed = absl::AbortedError("not now");
  worker_.Reconcile();
  EXPECT_EQ(Written(), 0u);
}

TEST(SessionValueTest, WhatIsNoKeyIsNotTaken) {
  for (const char* const wrong :
       {"", "{}", R"({"key":"","algorithm":"HmacSHA256","creation-timestamp":1})",
        R"({"key":"%%","algorithm":"HmacSHA256","creation-timestamp":1})",
        R"({"key":"AAAA","creation-timestamp":1})",
        R"({"key":"AAAA","algorithm":"HmacSHA256","creation-timestamp":"1"})"})
    EXPECT_FALSE(ReadSessionValue(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace walduct::serve
