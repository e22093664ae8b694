#include "serve/rest/connect_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "absl/strings/match.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "operate/commands/signal_commands.h"
#include "operate/outbox/outbox_rows_request.h"
#include "tests/serve/memory_topics.h"
#include "tests/serve/test_assignment.h"
#include "tests/serve/test_loader.h"
#include "tests/support/fake_world.h"

namespace walduct::serve {
namespace {

using testing::HasSubstr;

class Pages final : public http::Handler {
 public:
  http::Response Handle(const http::Request&) override { return {.body = "page"}; }
};

class ConnectHandlerTest : public testing::Test {
 protected:
  ConnectHandlerTest() { connect_.Open("of-kafka"); }
  ~ConnectHandlerTest() override {
    for (const auto& connector : connectors_.All())
      EXPECT_TRUE(connectors_.Remove(connector->name()).ok());
  }

  http::Response Ask(const std::string& method, const std::string& path,
                     const std::string& body = "", const std::string& accept = "") {
    http::Request request;
    request.method = method;
    request.path = path.substr(0, path.find('?'));
    if (const size_t query = path.find('?'); query != std::string::npos) {
      const std::string one = path.substr(query + 1);
      request.query.emplace(one.substr(0, one.find('=')), one.substr(one.find('=') + 1));
    }
    request.accept = accept;
    request.host = "h:1";
    request.content_type = "application/json";
    request.body = body;
    request.authorization = authorization_;
    return connect_.Answer(request, entrance_);
  }

  static std::string CreateBody(const std::string& name, const std::string& more = "") {
    return R"({"name":")" + name +
           R"(","config":{"connector.class":"PostgresConnector","topic.prefix":"p",)"
           R"("database.hostname":"h","database.user":"u","database.dbname":"d"})" +
           more + "}";
  }

  class Signals final : public Operations {
   public:
    using Operations::Operations;
    absl::StatusOr<Sent> SendSignal(const ConfigMap& config,
                                    const std::shared_ptr<const engine::ConnectorOptions>& running,
                                    const std::string& text) const override {
      if (absl::StrContains(text, R"("type":"asked")")) {
        texts.push_back(text);
        asked.push_back(running);
        if (meanwhile) meanwhile();
        if (running != nullptr) return Sent("s2", std::string(operate::kInProcess));
        return Error(absl::StatusCode::kInvalidArgument, "signal_no_channel", "it reads none", "");
      }
      if (text == "{}")
        return Error(absl::StatusCode::kInvalidArgument, "signal_malformed", "it has no type",
                     "name one");
      sent += *FindValue(config, "topic.prefix") + text;
      return Sent("s1", "file f");
    }
    absl::StatusOr<std::string> AskOutboxRows(
        const ConfigMap&, const operate::OutboxRowsRequest& request) const override {
      if (request.rows.empty()) return absl::FailedPreconditionError("property 'x': is bad");
      if (request.rows.front() != "lacks") return absl::InvalidArgumentError("it is none");
      return Error(absl::StatusCode::kFailedPrecondition, "outbox_no_key", "it has no key", "add");
    }
    static constexpr char kAsked[] = R"({"type":"asked"})";  // by the process itself
    bool WasCarriedOut(const engine::ConnectorOptions&, const std::string& id) const override {
      return id == carried_out;
    }
    mutable std::string sent;
    mutable std::vector<std::string> texts;
    std::string carried_out;  // the id of one
    mutable std::vector<std::shared_ptr<const engine::ConnectorOptions>> asked;
    std::function<void()> meanwhile;
  };
  static constexpr absl::Duration kPatience = absl::Milliseconds(50);
  http::Response AskSignal() { return Ask("POST", "/connectors/a/signal", Signals::kAsked); }

  std::string authorization_;
  admin::WorkerBoard board_{"g", Clock::Real()};
  test::TestLoader loader_;
  test::TestAssignment assignment_;
  ConnectHandler::Entrance entrance_;
  test::FakeWorld world_;
  engine::ConnectorSet connectors_{world_};
  test::MemoryTopics topics_;
  Pages pages_;
  Signals signals_{&loader_, &connectors_, Environment::Real()};
  Worker worker_{{.topics = &topics_,
                  .assignment = &assignment_,
                  .connectors = &connectors_,
                  .environment = Environment::Real(),
                  .group = "g",
                  .worker_id = "h:1",
                  .version = "3.6.1.Final",
                  .loader = &loader_}};
  ConnectHandler connect_{{.worker = &worker_,
                           .topics = &topics_,
                           .pages = &pages_,
                           .clock = &Clock::Real(),
                           .loader = &loader_,
                           .operations = &signals_,
                           .board = &board_,
                           .log_level = "INFO",
                           .patience = kPatience}};
};

// A command ends with 2 where what is asked, or the configuration, is wrong; else with 3.
TEST_F(ConnectHandlerTest, WhatTheServerLacksIsNoFaultOfTheRequest) {
  EXPECT_EQ(Ask("GET", "/connectors/a/outbox").status, 404);
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a", R"(,"initial_state":"STOPPED")")).status,
            201);
  EXPECT_EQ(Ask("GET", "/connectors/a/outbox").status, 400);
  EXPECT_EQ(Ask("GET", "/connectors/a/outbox?row=7").status, 400);
  const http::Response lacks = Ask("GET", "/connectors/a/outbox?row=lacks");
  EXPECT_EQ(lacks.status, 500);
  EXPECT_THAT(lacks.body, testing::HasSubstr("it has no key; hint: add"));
}

TEST_F(ConnectHandlerTest, PathsMethodsAndTypes) {
  EXPECT_THAT(Ask("GET", "/").body, testing::HasSubstr(R"("kafka_cluster_id":"of-kafka")"));
  EXPECT_EQ(Ask("GET", "/nothing").status, 404);
  EXPECT_EQ(Ask("GET", "/nothing").content_type, "");
  EXPECT_EQ(Ask("BREW", "/connectors").status, 405);
  EXPECT_EQ(Ask("GET", "/connectors", "", "text/html").status, 406);
  EXPECT_EQ(Ask("GET", "/connectors", "", "text/html, application/json;q=0.9").status, 200);
  EXPECT_THAT(Ask("GET", "//connectors").body, testing::HasSubstr("Ambiguous"));
  EXPECT_EQ(Ask("DELETE", "//connectors").status, 400);
  EXPECT_EQ(Ask("DELETE", "//connectors").body, "");
  EXPECT_THAT(Ask("DELETE", "/connectors/%00").body, testing::HasSubstr("Bad Request"));
  EXPECT_EQ(Ask("GET", "/connectors/").body, "[]");
  EXPECT_EQ(Ask("OPTIONS", "/connectors").body, "HEAD, POST, GET, OPTIONS");
}

TEST_F(ConnectHandlerTest, AWorkerThatDoesNotServeSaysWhatItWaitsFor) {
  board_.Show(true, admin::WorkerWait::kKafka, absl::UnixEpoch(), "for Kafka at k:9092");
  const http::Response open = Ask("GET", "/health");
  EXPECT_EQ(open.status, 200);
  EXPECT_THAT(open.body, HasSubstr("It waits for Kafka at k:9092"));
  EXPECT_EQ(Ask("GET", "/connectors").status, 200);
  connect_.Close();
  EXPECT_EQ(Ask("GET", "/health").status, 503);
  const http::Response closed = Ask("PUT", "/connectors/a/pause");
  EXPECT_EQ(closed.status, 503);
  EXPECT_THAT(closed.body, HasSubstr("waits for Kafka at k:9092"));
  EXPECT_EQ(Ask("GET", "/metrics").body, "page");
  board_.ShowServing();
  EXPECT_THAT(Ask("GET", "/connectors").body, HasSubstr("The worker is starting; see /health"));
}

TEST_F(ConnectHandlerTest, WhileKafkaIsAwayWhatWouldChangeSomethingIsRefused) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a", R"(,"initial_state":"STOPPED")")).status,
            201);
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("b")).status, 201);
  assignment_.confirmed =
      Error(absl::StatusCode::kUnavailable, "kafka_away", "Kafka has been away");
  for (const char* path : {"/connectors/a/pause", "/connectors/a/resume", "/connectors/a/stop"}) {
    const http::Response refused = Ask("PUT", path);
    EXPECT_EQ(refused.status, 503) << path;
    EXPECT_EQ(refused.body, R"({"error_code":503,"message":"Kafka has been away"})");
  }
  EXPECT_EQ(Ask("POST", "/connectors/a/restart?includeTasks=true").status, 503);
  EXPECT_EQ(Ask("DELETE", "/connectors/a").status, 503);
  EXPECT_EQ(Ask("GET", "/connectors/a/offsets").status, 503);
  EXPECT_EQ(Ask("GET", "/connectors/a/status").status, 200);
  // It is not told to be stopped first, which would be refused as well.
  EXPECT_EQ(Ask("PUT", "/connectors/b/position", "{}").body,
            Ask("POST", "/connectors/b/position", "{}").body);
  EXPECT_EQ(Ask("POST", "/connectors/b/position", "{}").body,
            R"({"error_code":503,"message":"Kafka has been away"})");
  assignment_.confirmed = absl::AbortedError("a rebalance");
  EXPECT_EQ(Ask("PUT", "/connectors/a/pause").status, 409);
}

TEST_F(ConnectHandlerTest, OurOwnPagesAreNotForThoseWhoAskForJsonAlone) {
  EXPECT_EQ(Ask("GET", "/metrics").body, "page");
  EXPECT_EQ(Ask("GET", "/metrics", "", "application/json").status, 404);
}

TEST_F(ConnectHandlerTest, ANameThatNeedsCareIsReached) {
  const http::Response made =
      Ask("POST", "/connectors", CreateBody("a b/ü?", R"(,"initial_state":"stopped")"));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.headers[0].second, "http://h:1/connectors/a%20b/%C3%BC%3F");
  EXPECT_EQ(Ask("GET", "/connectors/a%20b%2F%C3%BC%3F").status, 200);
  EXPECT_EQ(Ask("DELETE", "/connectors/a%20b%2F%C3%BC%3F").status, 204);
}

TEST_F(ConnectHandlerTest, BodiesThatAreNone) {
  for (const char* body : {"", "{", "[]", "7", "null", R"({"name":7,"config":{}})",
                           R"({"name":"a","config":{"b":{}}})", R"({"name":"a","confg":{}})"}) {
    EXPECT_EQ(Ask("POST", "/connectors", body).status, 400) << body;
    EXPECT_EQ(Ask("PATCH", "/connectors/a/offsets", body).status, 400) << body;
  }
  EXPECT_THAT(topics_.Keys(InternalTopic::kConfigs), testing::IsEmpty());
}

TEST_F(ConnectHandlerTest, PatchMergesAndNullRemoves) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a", R"(,"initial_state":"STOPPED")")).status,
            201);
  EXPECT_EQ(Ask("PATCH", "/connectors/a/config", R"({"x":"1","database.user":"v"})").status, 200);
  EXPECT_EQ(Ask("PATCH", "/connectors/a/config", R"({"x":null})").status, 200);
  const std::string config = Ask("GET", "/connectors/a/config").body;
  EXPECT_THAT(config, HasSubstr(R"("database.user":"v")"));
  EXPECT_THAT(config, testing::Not(HasSubstr(R"("x")")));
  EXPECT_EQ(Ask("PATCH", "/connectors/a/config", R"({"topic.prefix":null})").status, 400);
}

// A leader of a moment ago may not have read what the one before it has acknowledged.
TEST_F(ConnectHandlerTest, APatchUndoesNothingThatItsWorkerHasNotReadYet) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a")).status, 201);
  ConfigMap config = worker_.Find("a")->config;
  PutValue(&config, "database.user", "w");
  const std::string value = ConnectorValue(config);
  ASSERT_TRUE(
      topics_.Write(InternalTopic::kConfigs, {{.key = ConnectorKey("a"), .value = value}}).ok());
  worker_.FollowConfigs(ConnectorKey("a"), value);
  ASSERT_EQ(*FindValue(worker_.Find("a")->config, "database.user"), "u");
  EXPECT_EQ(Ask("PATCH", "/connectors/a/config", R"({"x":"1"})").status, 200);
  const std::string shown = Ask("GET", "/connectors/a/config").body;
  EXPECT_THAT(shown, HasSubstr(R"("database.user":"w")"));
  EXPECT_THAT(shown, HasSubstr(R"("x":"1")"));
}

TEST_F(ConnectHandlerTest, ASignalIsWrittenWhereTheConnectorReadsIt) {
  EXPECT_EQ(Ask("POST", "/connectors/a/signal", R"({"type":"log"})").status, 404);
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a", R"(,"initial_state":"STOPPED")")).status,
            201);
  const http::Response sent = Ask("POST", "/connectors/a/signal", R"({"type":"log"})");
  EXPECT_EQ(sent.status, 202);
  EXPECT_EQ(sent.body, R"({"name":"a","id":"s1","written_to":"file f"})");
  EXPECT_EQ(signals_.sent, R"(p{"type":"log"})");
  const http::Response refused = Ask("POST", "/connectors/a/signal", "{}");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("it has no type; hint: name one"));
  EXPECT_EQ(Ask("GET", "/connectors/a/signal").status, 405);
}

TEST_F(ConnectHandlerTest, ASignalWaitsForAConnectorThatBegins) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a")).status, 201);
  const http::Response early = AskSignal();
  EXPECT_EQ(early.status, 503) << "nobody begins it";
  EXPECT_THAT(early.body, HasSubstr("begins just now"));
  signals_.asked.clear();
  signals_.meanwhile = [this] { worker_.Reconcile(); };
  EXPECT_EQ(AskSignal().status, 202);
  ASSERT_EQ(signals_.asked.size(), 2u);
  EXPECT_EQ(signals_.asked[0], nullptr);
  EXPECT_NE(signals_.asked[1], nullptr);
}

TEST_F(ConnectHandlerTest, ASignalIsNotLeftWithWhatEnds) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a")).status, 201);
  worker_.Reconcile();
  const auto before = worker_.RunningOf("a");
  ASSERT_NE(before, nullptr);
  signals_.meanwhile = [this] {
    if (signals_.asked.size() > 1) return;
    EXPECT_EQ(Ask("PATCH", "/connectors/a/config", R"({"database.user":"v"})").status, 200);
  };
  EXPECT_EQ(AskSignal().status, 503) << "what took it ends, and the next one has not begun";
  ASSERT_EQ(signals_.asked.size(), 2u);
  EXPECT_EQ(signals_.asked[0], before);
  EXPECT_EQ(signals_.asked[1], nullptr);
  EXPECT_THAT(signals_.texts[1], HasSubstr(R"({"id":"s2")")) << "it is known again";
}

TEST_F(ConnectHandlerTest, WhatAConnectorHasDoneAsItEndedIsNotAskedForAgain) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a")).status, 201);
  worker_.Reconcile();
  signals_.meanwhile = [this] {
    EXPECT_EQ(Ask("PATCH", "/connectors/a/config", R"({"database.user":"v"})").status, 200);
    signals_.carried_out = "s2";
  };
  const http::Response done = AskSignal();
  EXPECT_EQ(done.status, 202);
  EXPECT_THAT(done.body, HasSubstr(R"("written_to":"the stored position")"));
  EXPECT_EQ(signals_.asked.size(), 1u);
}

TEST_F(ConnectHandlerTest, ASignalForWhatIsStoppedIsRefusedAtOnce) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a", R"(,"initial_state":"STOPPED")")).status,
            201);
  const http::Response refused = AskSignal();
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("it reads none"));
}

TEST_F(ConnectHandlerTest, OffsetsOfAStoppedConnector) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a", R"(,"initial_state":"STOPPED")")).status,
            201);
  ASSERT_TRUE(
      topics_
          .Write(InternalTopic::kOffsets,
                 {{.key = R"(["a",{"server":"p"}])", .value = R"({"lsn":7,"walduct_ordinal":0})"},
                  {.key = R"(["b",{"server":"p"}])", .value = R"({"lsn":8})"}})
          .ok());
  EXPECT_EQ(Ask("GET", "/connectors/a/offsets").body,
            R"({"offsets":[{"partition":{"server":"p"},"offset":{"lsn":7}}]})");
  EXPECT_EQ(Ask("PATCH", "/connectors/a/offsets",
                R"({"offsets":[{"partition":{"server":"p"},"offset":{"lsn":9}}]})")
                .status,
            200);
  for (const char* large :
       {"9223372036854775808", "18446744073709551616", "-9223372036854775809"}) {
    const http::Response refused = Ask(
        "PATCH", "/connectors/a/offsets",
        absl::StrCat(R"({"offsets":[{"partition":{"server":"p"},"offset":{"lsn":)", large, "}}]}"));
    EXPECT_EQ(refused.status, 400) << large;
    EXPECT_THAT(refused.body, testing::HasSubstr("lsn contains class java.math.BigInteger"));
  }
  EXPECT_EQ(*topics_.Last(InternalTopic::kOffsets, R"(["a",{"server":"p"}])"), R"({"lsn":9})");
  EXPECT_EQ(Ask("DELETE", "/connectors/a/offsets").status, 200);
  EXPECT_FALSE(topics_.Last(InternalTopic::kOffsets, R"(["a",{"server":"p"}])").has_value());
  EXPECT_TRUE(topics_.Last(InternalTopic::kOffsets, R"(["b",{"server":"p"}])").has_value());
  EXPECT_EQ(Ask("PUT", "/connectors/a/pause").status, 202);
  EXPECT_EQ(Ask("DELETE", "/connectors/a/offsets").status, 400);
}

// What says how many there are goes last, however the partitions of the topic are written to.
TEST_F(ConnectHandlerTest, TheFirstSlotsOffsetIsForgottenAfterTheOthers) {
  ASSERT_EQ(Ask("POST", "/connectors", CreateBody("a", R"(,"initial_state":"STOPPED")")).status,
            201);
  const std::string first = R"(["a",{"server":"p"}])";
  const std::string second = R"(["a",{"server":"p","walduct_slot":2}])";
  ASSERT_TRUE(topics_
                  .Write(InternalTopic::kOffsets, {{.key = first, .value = R"({"lsn":7})"},
                                                   {.key = second, .value = R"({"lsn":8})"}})
                  .ok());
  topics_.DuringNextWrite([&] {
    topics_.DuringNextWrite([&] {
      EXPECT_FALSE(topics_.Last(InternalTopic::kOffsets, second).has_value());
      EXPECT_TRUE(topics_.Last(InternalTopic::kOffsets, first).has_value());
    });
  });
  EXPECT_EQ(Ask("DELETE", "/connectors/a/offsets").status, 200);
  EXPECT_FALSE(topics_.Last(InternalTopic::kOffsets, first).has_value());
}

TEST_F(ConnectHandlerTest, LevelsOfLoggers) {
  EXPECT_EQ(Ask("PUT", "/admin/loggers/op.one", R"({"level":"debug"})").body, R"(["op.one"])");
  EXPECT_EQ(Ask("PUT", "/admin/loggers/op.one", R"({"level":"DEBUG"})").body, "[]");
  EXPECT_EQ(Ask("PUT", "/admin/loggers/op", R"({"level":"ERROR"})").body, R"(["op","op.one"])");
  EXPECT_EQ(Ask("PUT", "/admin/loggers/op", R"({"level":"LOUD"})").status, 404);
  EXPECT_EQ(Ask("PUT", "/admin/loggers/x?scope=CLUSTER", R"({"level":"ERROR"})").status, 204);
  EXPECT_EQ(*topics_.Last(InternalTopic::kConfigs, "logger-cluster-x"), R"({"level":"ERROR"})");
  EXPECT_EQ(Ask("GET", "/admin/loggers/nobody").status, 404);
}

TEST_F(ConnectHandlerTest, TheRootLoggerIsAboveTheWholeLog) {
  EXPECT_EQ(Ask("GET", "/admin/loggers/root").body, R"({"level":"WARN","last_modified":null})");
  EXPECT_THAT(Ask("PUT", "/admin/loggers/root", R"({"level":"WARN"})").body,
              testing::StartsWith(R"(["walduct","walduct.cli",)"));
  EXPECT_EQ(Ask("GET", "/admin/loggers/root").body, R"({"level":"WARN","last_modified":null})");
  testing::internal::CaptureStderr();
  log::Info("quiet", {}, "/src/engine/x.cc");
  log::Warn("heard", {}, "/src/engine/x.cc");
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::AllOf(testing::HasSubstr("heard"), testing::Not(testing::HasSubstr("quiet"))));
  EXPECT_THAT(Ask("PUT", "/admin/loggers/root", R"({"level":"INFO"})").body,
              testing::StartsWith(R"(["root","walduct",)"));
}

TEST_F(ConnectHandlerTest, EachRoomHasALogger) {
  EXPECT_THAT(Ask("GET", "/admin/loggers").body,
              testing::HasSubstr("\"walduct.engine\":{\"level\""));
  const auto line = [](const char* file) {
    testing::internal::CaptureStderr();
    log::Debug("seen", {}, file);
    return !testing::internal::GetCapturedStderr().empty();
  };
  EXPECT_EQ(Ask("PUT", "/admin/loggers/walduct.engine", R"({"level":"TRACE"})").body,
            R"(["walduct.engine"])");
  EXPECT_TRUE(line("/src/engine/x.cc"));
  EXPECT_FALSE(line("/src/kafka/x.cc"));
  Ask("PUT", "/admin/loggers/walduct", R"({"level":"DEBUG"})");
  EXPECT_TRUE(line("/src/kafka/x.cc"));
  EXPECT_EQ(Ask("GET", "/admin/loggers/walduct.kafka").body.substr(0, 16), R"({"level":"DEBUG")");
  Ask("PUT", "/admin/loggers/root", R"({"level":"INFO"})");
  EXPECT_FALSE(line("/src/kafka/x.cc"));
  EXPECT_FALSE(line("/src/engine/x.cc"));
}

// As Kafka Connect with its BasicAuthSecurityRestExtension answers.
TEST_F(ConnectHandlerTest, WhoMustSayAPassword) {
  const access::Passwords passwords = *access::Passwords::Parse("alice=secret");
  entrance_.passwords = &passwords;
  for (const char* path : {"/", "/health", "/connectors", "/connectors/none", "/admin/loggers",
                           "/metrics", "/status", "/livez"}) {
    const http::Response response = Ask("GET", path);
    EXPECT_EQ(response.status, 401) << path;
    EXPECT_EQ(response.body, "User cannot access the resource.");
    EXPECT_TRUE(response.headers.empty());
  }
  EXPECT_EQ(Ask("GET", "/connectors").content_type, "application/json");
  EXPECT_EQ(Ask("OPTIONS", "/connectors").content_type, "text/plain");
  EXPECT_EQ(Ask("POST", "/connectors", CreateBody("a")).status, 401);
  EXPECT_EQ(Ask("GET", "/connectors/").status, 401);
  EXPECT_EQ(Ask("GET", "/nothing").status, 404);
  EXPECT_EQ(Ask("PATCH", "/connectors").status, 405);
  EXPECT_EQ(Ask("GET", "/connectors", "", "text/plain").status, 406);
  EXPECT_EQ(Ask("POST", "/connectors/x/tasks", "[]").status, 400);
  authorization_ = "Basic YWxpY2U6c2VjcmV0";  // alice:secret
  EXPECT_EQ(Ask("GET", "/connectors").body, "[]");
  EXPECT_EQ(Ask("GET", "/metrics").body, "page");
}

TEST_F(ConnectHandlerTest, AdminMayHaveAListenerOfItsOwn) {
  entrance_ = {.admin = false};
  EXPECT_EQ(Ask("GET", "/admin/loggers/root").status, 404);
  EXPECT_EQ(Ask("GET", "/connectors").status, 200);
  entrance_ = {.others = false};
  EXPECT_EQ(Ask("GET", "/admin/loggers/root").status, 200);
  for (const char* path : {"/", "/connectors", "/metrics", "/health", "/nothing"})
    EXPECT_EQ(Ask("GET", path).status, 404) << path;
}

// The leader has ended, and this worker, which has its place soon, has not heard of it yet.
class Succession final : public Assignment {
 public:
  explicit Succession(int old_for) : old_for_(old_for) {}
  bool Owns(absl::string_view /*connector*/) const override { return true; }
  absl::Status Confirmed() const override { return absl::OkStatus(); }
  Leader leader() const override {
    if (asked_++ >= old_for_) return {.self = true};
    return {.self = false, .worker = "127.0.0.1:1", .url = "http://127.0.0.1:1"};
  }
  bool follows() const override { return true; }

 private:
  const int old_for_;
  mutable std::atomic<int> asked_{0};
};

TEST_F(ConnectHandlerTest, ARequestOutlivesALeaderThatTakesNoConnection) {
  const auto asked = [&](int old_for) {
    Succession succession(old_for);
    Worker worker({.topics = &topics_,
                   .assignment = &succession,
                   .connectors = &connectors_,
                   .environment = Environment::Real(),
                   .group = "g",
                   .worker_id = "h:1",
                   .version = "3.6.1.Final",
                   .loader = &loader_});
    ConnectHandler connect({.worker = &worker,
                            .topics = &topics_,
                            .pages = &pages_,
                            .clock = &Clock::Real(),
                            .loader = &loader_,
                            .operations = &signals_,
                            .log_level = "INFO",
                            .url = "http://h:1",
                            .succession = absl::Milliseconds(200)});
    connect.Open("of-kafka");
    http::Request request;
    request.method = "POST";
    request.path = "/connectors";
    request.host = "h:1";
    request.content_type = "application/json";
    request.body = CreateBody("a", R"(,"initial_state":"STOPPED")");
    return connect.Answer(request, {});
  };
  const http::Response never = asked(1'000'000);
  EXPECT_EQ(never.status, 503);
  EXPECT_THAT(never.body,
              AllOf(HasSubstr("takes no connection ("), HasSubstr("): nothing is changed")));
  EXPECT_EQ(asked(3).status, 201);
}

}  // namespace
}  // namespace walduct::serve
