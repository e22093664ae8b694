#include "admin/status_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "admin/health.h"
#include "admin/metric_text.h"
#include "admin/series.h"
#include "admin/status_page.h"
#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"

namespace walduct::admin {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A connector that streams from a fake database.
class StatusHandlerTest : public testing::Test {
 protected:
  StatusHandlerTest() {
    EXPECT_TRUE(connectors_.Add({.config = test::FakeConfig("orders")}).ok());
    test::Await(
        [this] { return connectors_.Statuses()[0].activity == engine::Activity::kStreaming; });
  }
  ~StatusHandlerTest() override { EXPECT_TRUE(connectors_.Remove("orders").ok()); }

  http::Response Ask(const std::string& path, const std::string& method = "GET") {
    http::Request request;
    request.method = method;
    request.path = path;
    return status_handler_.Handle(request);
  }

  test::FakeWorld world_;
  engine::ConnectorSet connectors_{world_};
  StatusHandler status_handler_{
      {.connectors = &connectors_,
       .clock = &Clock::Real(),
       .configs = {{"orders", {{"name", "orders"}, {"database.password", "******"}}}},
       .worker = "127.0.0.1:8083"}};
};

TEST_F(StatusHandlerTest, ProbesOfAConnectorThatStreams) {
  EXPECT_EQ(Ask("/livez").status, 200);
  EXPECT_EQ(Ask("/readyz").status, 200);
  EXPECT_EQ(Ask("/health").status, 200);
}

TEST_F(StatusHandlerTest, WhatAWorkerWaitsForIsOnEachPage) {
  WorkerBoard board("g", Clock::Real());
  StatusHandler status_handler({.connectors = &connectors_,
                                .clock = &Clock::Real(),
                                .configs = {},
                                .worker = "w:1",
                                .board = &board});
  const auto ask = [&](const std::string& path) {
    http::Request request;
    request.method = "GET";
    request.path = path;
    return status_handler.Handle(request);
  };
  EXPECT_THAT(ask("/readyz").body, StartsWith("the worker waits for its topics, since 2"));
  EXPECT_EQ(ask("/livez").status, 200);
  const absl::Time before = absl::Now() - absl::Seconds(90);
  board.Show(false, WorkerWait::kKafka, before, "for Kafka at k:1", "look");
  // The same wait, told anew: it has not begun anew.
  board.Show(false, WorkerWait::kKafka, absl::Now(), "for Kafka at k:1: refused", "look");
  EXPECT_THAT(ask("/readyz").body, StartsWith("the worker waits for Kafka at k:1: refused, since"));
  EXPECT_THAT(ask("/metrics").body,
              testing::AllOf(HasSubstr("walduct_worker_state{state=\"serving\"} 0\n"),
                             HasSubstr("walduct_worker_state{state=\"waiting\"} 1\n"),
                             HasSubstr("walduct_worker_waiting_seconds{for=\"kafka\"} 9")));
  EXPECT_THAT(ask("/status").body,
              testing::AllOf(HasSubstr(R"("worker":{"group":"g","state":"waiting")"),
                             HasSubstr(R"("waiting_for":"kafka")"), HasSubstr(R"("hint":"look")")));
  board.ShowServing();
  EXPECT_EQ(ask("/readyz").status, 200);
  EXPECT_THAT(ask("/metrics").body, Not(HasSubstr("walduct_worker_waiting_seconds{")));
  EXPECT_THAT(ask("/status").body, HasSubstr(R"("state":"serving")"));
  // What may be as it should fails no probe.
  board.ShowWarning(WorkerWarning{.reason = "connectors_missing", .message = "m", .hint = "h"});
  EXPECT_EQ(ask("/readyz").status, 200);
  EXPECT_THAT(ask("/metrics").body,
              HasSubstr("walduct_worker_warning{reason=\"connectors_missing\"} 1\n"));
  EXPECT_THAT(ask("/status").body,
              HasSubstr(R"("warning":{"reason":"connectors_missing","message":"m","hint":"h"})"));
  board.ShowWarning(std::nullopt);
  EXPECT_THAT(ask("/metrics").body, Not(HasSubstr("walduct_worker_warning{")));
  EXPECT_THAT(ask("/status").body, Not(HasSubstr("\"warning\"")));
  // A process that is no worker has none of it.
  EXPECT_THAT(Ask("/metrics").body, Not(HasSubstr("walduct_worker_")));
}

TEST_F(StatusHandlerTest, WhoRunsWhatInAGroupIsOnEachPage) {
  WorkerBoard board("g", Clock::Real());
  const absl::Time now = absl::Now();
  board.ShowGroup([now] {
    GroupView group{.epoch = 3,
                    .workers = {{.address = "a:1", .connectors = 2, .self = true},
                                {.address = "b:1", .connectors = 1, .leads = true},
                                {.address = "c:1", .connectors = 1, .member = false}},
                    .unassigned = {{.name = "x", .since = now - absl::Seconds(90), .why = "gone"}},
                    .moves = {},
                    .moved = {{"worker_gone", 4}}};
    group.moves.push_back(
        {.at = now, .connector = "y", .from = "c:1", .to = "a:1", .why = "worker_gone"});
    return group;
  });
  board.ShowServing();
  StatusHandler status_handler({.connectors = &connectors_,
                                .clock = &Clock::Real(),
                                .configs = {},
                                .worker = "a:1",
                                .board = &board});
  const auto ask = [&](const std::string& path) {
    http::Request request;
    request.method = "GET";
    request.path = path;
    return status_handler.Handle(request).body;
  };
  const std::string text = ask("/metrics");
  EXPECT_THAT(text,
              testing::AllOf(HasSubstr("walduct_group_workers{group=\"g\"} 2\n"),
                             HasSubstr("walduct_group_leads{group=\"g\"} 0\n"),
                             HasSubstr("walduct_group_epoch{group=\"g\"} 3\n"),
                             HasSubstr("walduct_group_connectors{group=\"g\"} 2\n"),
                             HasSubstr("walduct_group_unassigned_connectors{group=\"g\"} 1\n"),
                             HasSubstr("walduct_group_unassigned_seconds{group=\"g\"} 9")));
  EXPECT_THAT(text, HasSubstr("walduct_group_moves_total{group=\"g\",why=\"worker_gone\"} 4\n"));
  EXPECT_THAT(
      ask("/status"),
      testing::AllOf(HasSubstr(R"("shares":{"epoch":3,"workers":[{"address":"a:1")"),
                     HasSubstr(R"("member":true,"names":[]})"),
                     HasSubstr(R"("unassigned":[{"name":"x")"), HasSubstr(R"("moves":[{"at":)")));
}

// Two remedies, of which one reads all tables anew, for what one mends.
TEST_F(StatusHandlerTest, AStartThatCouldNotMakeTheSlotIsToldOnce) {
  metrics::SlotView slot;
  slot.wal_status = "reserved";
  slot.looked_at = Clock::Real().Monotonic();
  metrics::ConnectorMetrics metrics;
  metrics.slot.Show(slot);
  slot.wal_status = "missing";
  metrics.slot.Show(std::move(slot));
  ProcessView process;
  process.now = absl::Now();
  process.monotonic = Clock::Real().Monotonic();
  ShownConnector& one = process.connectors.emplace_back();
  one.metrics = &metrics;
  one.status.state = engine::ConnectorState::kFailed;
  one.status.last_error.emplace().reason = "record_too_large";
  const std::string problem = R"("problem":{"reason":"slot_missing")";
  EXPECT_THAT(StatusJson(process), HasSubstr(problem));
  for (const char* const reason : {"no_free_slot", "no_free_wal_sender", "slot_other_name"}) {
    one.status.last_error->reason = reason;
    EXPECT_THAT(StatusJson(process), Not(HasSubstr(problem))) << reason;
  }
  // What another server has, or lacks, says nothing of the slot.
  one.status.last_error->reason = "system_mismatch";
  EXPECT_THAT(StatusJson(process), Not(HasSubstr(R"("slot":)")));
  one.status.last_error->solved_at = absl::Now();
  EXPECT_THAT(StatusJson(process), HasSubstr(problem));
}

TEST_F(StatusHandlerTest, WhoReadsTheSlotOfOneThatRestsIsTold) {
  metrics::SlotView slot;
  slot.wal_status = "reserved";
  slot.looked_at = Clock::Real().Monotonic();
  slot.other_reader = "pid 12, application walduct";
  metrics::ConnectorMetrics metrics;
  metrics.slot.Show(slot);
  ProcessView process;
  process.now = absl::Now();
  process.monotonic = Clock::Real().Monotonic();
  process.connectors.emplace_back().metrics = &metrics;
  EXPECT_THAT(StatusJson(process), HasSubstr(R"("other_reader":"pid 12, application walduct")"));
  process.connectors[0].status.state = engine::ConnectorState::kStopped;
  metrics.slot.ShowGoneOn({.reason = "", .message = "another reader", .hint = "end it"});
  EXPECT_THAT(StatusJson(process),
              HasSubstr(R"("gone_on":{"message":"another reader","hint":"end it"})"));
  metrics.slot.ShowPosition(std::nullopt);
  slot.other_reader.clear();
  metrics.slot.Show(std::move(slot));
  EXPECT_THAT(StatusJson(process), Not(testing::ContainsRegex("other_reader|gone_on")));
}

// No command is taken before Kafka answers.
TEST_F(StatusHandlerTest, ALostSlotIsSeenToBehindKafka) {
  metrics::SlotView slot;
  slot.wal_status = "lost";
  slot.looked_at = Clock::Real().Monotonic();
  metrics::ConnectorMetrics metrics;
  metrics.slot.Show(std::move(slot));
  engine::ConnectorNames names;
  names.connector = "shop";
  names.called = {.who = "shop"};
  names.served = true;
  ProcessView process;
  process.now = absl::Now();
  process.monotonic = Clock::Real().Monotonic();
  ShownConnector& one = process.connectors.emplace_back();
  one.metrics = &metrics;
  one.names = &names;
  const auto hint = [&] { return StatusJson(process); };
  EXPECT_THAT(hint(), HasSubstr("\"hint\":\"walduct offsets reset shop --accept-loss"));
  process.worker.emplace().wait = WorkerWait::kKafka;
  EXPECT_THAT(hint(), HasSubstr("\"hint\":\"first Kafka has to answer: until then no command is "
                                "taken, and the connector does not end. Then walduct offsets "));
  process.worker.reset();
  one.status.state = engine::ConnectorState::kRunning;
  one.status.last_error.emplace().reason = "broker_unavailable";
  EXPECT_THAT(hint(), HasSubstr("\"hint\":\"first Kafka has to answer: "));
}

TEST_F(StatusHandlerTest, RowsOfOutboxTablesAreToldWithTheAgeOfTheirCount) {
  metrics::ConnectorMetrics metrics;
  ProcessView process;
  process.now = absl::Now();
  process.monotonic = absl::Seconds(1003);
  process.connectors.emplace_back().metrics = &metrics;
  const auto series = [&] {
    MetricText text;
    AddOwnSeries(process, &text);
    return text.Print(MetricText::Format::kPrometheus);
  };
  ShownConnector& one = process.connectors.front();
  one.status.state = engine::ConnectorState::kRunning;
  one.status.activity = engine::Activity::kStreaming;
  EXPECT_THAT(StatusJson(process), Not(HasSubstr("\"outbox\"")));
  EXPECT_EQ(HealthOf(one, process.monotonic), Health::kFine);
  EXPECT_THAT(series(), Not(HasSubstr("walduct_outbox_oldest_seconds"))) << "nothing is polled";
  metrics.backlog.Show({.unpublished = 7,
                        .parked = 2,
                        .oldest = absl::Seconds(61),
                        .counted_at = absl::Seconds(1000),
                        .hint = "list them"},
                       absl::Seconds(1020));
  EXPECT_THAT(StatusJson(process),
              HasSubstr(R"("outbox":{"unpublished":7,"parked":2,"oldest_seconds":61.0,)"
                        R"("age_seconds":3.0,"hint":"list them"})"));
  EXPECT_EQ(HealthOf(one, process.monotonic), Health::kTroubled);
  EXPECT_EQ(NotReady(one.status), "") << "all others are published";
  EXPECT_THAT(series(), HasSubstr("walduct_outbox_parked{connector=\"\"} 2\n"));
  process.monotonic = absl::Seconds(1600);
  EXPECT_THAT(series(), HasSubstr("walduct_outbox_oldest_seconds{connector=\"\"} 661\n"));
  EXPECT_THAT(series(), HasSubstr("walduct_outbox_look_age_seconds{connector=\"\"} 600\n"));
}

TEST_F(StatusHandlerTest, APausedConnectorLivesButIsNotReady) {
  connectors_.Find("orders")->Pause();
  test::Await([this] { return connectors_.Statuses()[0].rests(); });
  EXPECT_EQ(Ask("/livez").status, 200);
  const http::Response ready = Ask("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.body, "orders: PAUSED\n");
  EXPECT_THAT(Ask("/status").body, HasSubstr(R"("ready":false,"health":"fine")"));
}

TEST_F(StatusHandlerTest, MetricsInBothForms) {
  http::Request request;
  request.method = "GET";
  request.path = "/metrics";
  const http::Response plain = status_handler_.Handle(request);
  EXPECT_THAT(plain.content_type, StartsWith("text/plain; version=0.0.4"));
  EXPECT_THAT(plain.body, HasSubstr("walduct_connected{connector=\"orders\"} 1\n"));
  EXPECT_THAT(plain.body, HasSubstr("debezium_metrics_Connected{context=\"streaming\",name=\"srv\","
                                    "plugin=\"postgres\"} 1\n"));
  EXPECT_THAT(plain.body, Not(HasSubstr("# EOF")));
  request.accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";
  const http::Response open = status_handler_.Handle(request);
  EXPECT_THAT(open.content_type, StartsWith("application/openmetrics-text; version=1.0.0"));
  EXPECT_THAT(open.body, HasSubstr("\n# EOF\n"));
}

TEST_F(StatusHandlerTest, AStoppedConnectorHasNoBeans) {
  connectors_.Find("orders")->Stop();
  test::Await([this] { return connectors_.Statuses()[0].ended(); });
  const std::string text = Ask("/metrics").body;
  EXPECT_THAT(text, Not(HasSubstr("debezium_metrics_")));
  EXPECT_THAT(text, HasSubstr("kafka_connect_connector_status{connector=\"orders\","
                              "status=\"stopped\"} 1\n"));
}

TEST_F(StatusHandlerTest, EverySeriesIsDocumented) {
  std::ifstream file(WALDUCT_SOURCE_DIR "/docs/metrics.md");
  const std::string document((std::istreambuf_iterator<char>(file)), {});
  std::string text = Ask("/metrics").body;
  ProcessView of_group;
  of_group.worker.emplace().shares.emplace();
  MetricText group;
  AddWorkerSeries(of_group, &group);
  text += group.Print(MetricText::Format::kPrometheus);
  const std::regex type("# TYPE ([^ ]+) ");
  size_t families = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), type), end; it != end; ++it, ++families) {
    std::string name = (*it)[1];
    const std::string debezium = "debezium_metrics_";
    if (name.rfind(debezium, 0) == 0) name = name.substr(debezium.size());
    EXPECT_THAT(document, HasSubstr("`" + name + "`"));
  }
  EXPECT_GT(families, 60u);
}

TEST_F(StatusHandlerTest, StatusTellsWhatItDoes) {
  const std::string text = Ask("/status").body;
  EXPECT_THAT(text, HasSubstr("\"name\":\"orders\""));
  EXPECT_THAT(text, HasSubstr("\"state\":\"RUNNING\""));
  EXPECT_THAT(text, HasSubstr("\"activity\":\"streaming\""));
}

TEST_F(StatusHandlerTest, NotificationsNeedNoChannel) {
  const std::string text = Ask("/notifications").body;
  EXPECT_THAT(
      text, StartsWith("{\"connectors\":[{\"name\":\"orders\",\"notifications\":[{\"number\":1,"));
  EXPECT_THAT(text, HasSubstr("\"aggregate_type\":\"Initial Snapshot\""));
}

TEST_F(StatusHandlerTest, ConnectsPagesForReading) {
  EXPECT_THAT(Ask("/").body, StartsWith("{\"version\":\"4.3.0\""));
  EXPECT_EQ(Ask("/connectors").body, "[\"orders\"]");
  EXPECT_EQ(Ask("/connectors/").body, "[\"orders\"]");
  EXPECT_THAT(Ask("/connectors/orders/status").body,
              StartsWith("{\"name\":\"orders\",\"connector\":{\"state\":\"RUNNING\","
                         "\"worker_id\":\"127.0.0.1:8083\""));
  EXPECT_EQ(Ask("/connectors/orders/config").body,
            "{\"name\":\"orders\",\"database.password\":\"******\"}");
  EXPECT_EQ(Ask("/connectors/orders").status, 200);
  EXPECT_EQ(Ask("/connectors/orders/tasks").status, 200);
  EXPECT_EQ(Ask("/connector-plugins").status, 200);
}

TEST_F(StatusHandlerTest, WhatAWorkerKnowsThatDoesNotRun) {
  StatusHandler status_handler({.connectors = &connectors_,
                                .clock = &Clock::Real(),
                                .configs = {},
                                .worker = "h:1",
                                .known = [] {
                                  return std::vector<IdleConnector>{
                                      {.name = "orders", .state = "RUNNING"},
                                      {.name = "foreign", .state = "UNASSIGNED"},
                                      {.name = "idle", .state = "STOPPED"}};
                                }});
  http::Request request;
  request.method = "GET";
  request.path = "/metrics";
  const std::string text = status_handler.Handle(request).body;
  EXPECT_THAT(text, HasSubstr("kafka_connect_worker_connector_count 3\n"));
  EXPECT_THAT(text, HasSubstr("kafka_connect_worker_task_count 1\n"));
  EXPECT_THAT(text, HasSubstr("kafka_connect_connector_status{connector=\"idle\","
                              "status=\"stopped\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("kafka_connect_connector_status{connector=\"orders\","
                              "status=\"running\"} 1\n"));
  request.path = "/readyz";
  const http::Response ready = status_handler.Handle(request);
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("idle: STOPPED\n"));
  EXPECT_THAT(ready.body, testing::Not(HasSubstr("foreign")));
}

TEST_F(StatusHandlerTest, AConnectorThatCannotBeLoadedIsShownAsFailed) {
  IdleConnector refused{.name = "shop", .state = "RUNNING"};
  refused.refused = engine::ConnectorError{.at = absl::FromUnixSeconds(1),
                                           .message = "its configuration is refused: no secret",
                                           .reason = "configuration_refused",
                                           .hint = "put it right",
                                           .change = {}};
  StatusHandler status_handler({.connectors = &connectors_,
                                .clock = &Clock::Real(),
                                .configs = {},
                                .worker = "h:1",
                                .known = [&] { return std::vector<IdleConnector>{refused}; }});
  http::Request request;
  request.method = "GET";
  request.path = "/readyz";
  const http::Response ready = status_handler.Handle(request);
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("shop: FAILED: its configuration is refused: no secret\n"));
  request.path = "/metrics";
  const std::string metrics = status_handler.Handle(request).body;
  for (const char* const series :
       {"walduct_connector_state{connector=\"shop\",state=\"failed\"} 1\n",
        "walduct_error_open{connector=\"shop\",reason=\"configuration_refused\"} 1\n",
        "kafka_connect_worker_connector_failed_task_count{connector=\"shop\"} 1\n",
        "kafka_connect_connector_status{connector=\"shop\",status=\"running\"} 1\n"})
    EXPECT_THAT(metrics, HasSubstr(series));
  request.path = "/status";
  const std::string status = status_handler.Handle(request).body;
  EXPECT_THAT(status, HasSubstr("\"name\":\"shop\",\"state\":\"FAILED\""));
  EXPECT_THAT(status, HasSubstr("\"reason\":\"configuration_refused\""));
}

TEST_F(StatusHandlerTest, WhatIsNotThere) {
  EXPECT_EQ(Ask("/nothing").body, "{\"error_code\":404,\"message\":\"HTTP 404 Not Found\"}");
  EXPECT_EQ(Ask("/connectors/none").body,
            "{\"error_code\":404,\"message\":\"Connector none not found\"}");
  EXPECT_EQ(Ask("/connectors/none/status").body,
            "{\"error_code\":404,\"message\":\"No status found for connector none\"}");
  EXPECT_EQ(Ask("/connectors/%22%0A").body,
            "{\"error_code\":404,\"message\":\"Connector \\\"\\n not found\"}");
  EXPECT_EQ(Ask("//").status, 200);
}

TEST_F(StatusHandlerTest, NothingCanBeChanged) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_EQ(Ask("/connectors", method).status, 405) << method;
    EXPECT_EQ(Ask("/connectors/orders", method).status, 405) << method;
  }
}

ShownConnector ShownIn(engine::ConnectorState state, engine::Activity activity) {
  ShownConnector one;
  one.status.name = "a";
  one.status.state = state;
  one.status.activity = activity;
  return one;
}

TEST(Liveness, ALoopThatStandsStillIsNamed) {
  ProcessView process;
  process.monotonic = absl::Seconds(1000);
  process.connectors.push_back(
      ShownIn(engine::ConnectorState::kRunning, engine::Activity::kStreaming));
  process.connectors[0].status.turned = absl::Seconds(950);
  EXPECT_EQ(Liveness(process, absl::Seconds(60)).status, 200);
  const http::Response dead = Liveness(process, absl::Seconds(30));
  EXPECT_EQ(dead.status, 503);
  EXPECT_EQ(dead.body, "a: its loop has not turned for 50s\n");
}

TEST(Liveness, AConnectorThatRestsLives) {
  ProcessView process;
  process.monotonic = absl::Seconds(1000);
  process.connectors.push_back(ShownIn(engine::ConnectorState::kFailed, engine::Activity::kNone));
  process.connectors[0].status.wait = engine::WaitReason::kCommand;
  EXPECT_EQ(Liveness(process, absl::Seconds(1)).status, 200);
}

TEST(Readiness, SaysWhatTheOthersDo) {
  using engine::Activity;
  using engine::ConnectorState;
  ProcessView process;
  process.connectors.push_back(ShownIn(ConnectorState::kRunning, Activity::kSnapshotting));
  EXPECT_EQ(Readiness(process).status, 200);
  process.connectors[0].status.stall = engine::Stall{.since = {}, .kind = "sink", .cause = "Kafka"};
  EXPECT_EQ(Readiness(process).body, "a: stalled: waiting for Kafka\n");
  metrics::ConnectorMetrics numbers;
  process.connectors[0].metrics = &numbers;
  EXPECT_EQ(HealthOf(process.connectors[0], process.monotonic), Health::kTroubled);
  process.connectors[0] = ShownIn(ConnectorState::kRunning, Activity::kStreaming);
  process.connectors[0].metrics = &numbers;
  EXPECT_EQ(HealthOf(process.connectors[0], process.monotonic), Health::kFine);
  numbers.beside.Failed(metrics::Beside::kCatalogLook, absl::UnixEpoch(), "refused", "");
  EXPECT_EQ(HealthOf(process.connectors[0], process.monotonic), Health::kTroubled);
  EXPECT_EQ(Readiness(process).status, 200) << "a restart would mend nothing";
  numbers.beside.Works(metrics::Beside::kCatalogLook);
  process.connectors[0] = ShownIn(ConnectorState::kRunning, Activity::kRetrying);
  EXPECT_EQ(Readiness(process).body, "a: RUNNING, retrying\n");
  process.connectors[0] = ShownIn(ConnectorState::kFailed, Activity::kNone);
  process.connectors[0].metrics = &numbers;
  EXPECT_EQ(Readiness(process).body, "a: FAILED\n");
  numbers.slot.ShowPosition(
      metrics::PositionProblem{.reason = "position_skipped", .message = "", .hint = ""});
  EXPECT_EQ(Readiness(process).body,
            "a: FAILED, and could not go on from its stored position (position_skipped)\n");
  // Another reader has the slot, and moves it on.
  process.connectors[0] = ShownIn(ConnectorState::kRunning, Activity::kRetrying);
  process.connectors[0].metrics = &numbers;
  EXPECT_EQ(HealthOf(process.connectors[0], process.monotonic), Health::kTroubled)
      << "no error stands";
  process.connectors[0].status.last_error = {.at = absl::UnixEpoch(),
                                             .message = "in use",
                                             .reason = "slot_in_use",
                                             .hint = "",
                                             .change = ""};
  EXPECT_EQ(HealthOf(process.connectors[0], process.monotonic), Health::kFailed);
  EXPECT_EQ(Readiness(process).body,
            "a: RUNNING, retrying, and could not go on from its stored position "
            "(position_skipped)\n");
  process.connectors[0].status.activity = Activity::kStreaming;
  EXPECT_EQ(HealthOf(process.connectors[0], process.monotonic), Health::kFine);
}

}  // namespace
}  // namespace walduct::admin
