#include "admin/console/console_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "admin/health.h"
#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"

namespace walduct::admin {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ConsolePagesTest : public testing::Test {
 protected:
  ConsolePagesTest() {
    EXPECT_TRUE(connectors_.Add({.config = test::FakeConfig("orders")}).ok());
    test::Await(
        [this] { return connectors_.Statuses()[0].activity == engine::Activity::kStreaming; });
    history_.Look();
  }
  ~ConsolePagesTest() override { EXPECT_TRUE(connectors_.Remove("orders").ok()); }

  std::string Ask(const std::string& what, const std::string& name = "") {
    ConsolePages::Parts parts;
    parts.connectors = &connectors_;
    parts.clock = &Clock::Real();
    parts.history = &history_;
    if (!known_.empty()) parts.known = [this] { return known_; };
    parts.config = [](const std::string& of) -> absl::StatusOr<ShownConfig> {
      if (of != "orders") return absl::NotFoundError("none");
      return ShownConfig{{"database.password", "******"}};
    };
    const ConsolePages pages(parts);
    const absl::StatusOr<std::string> answer = pages.Answer(what, name, 0);
    if (!answer.ok()) return std::string(answer.status().message());
    rapidjson::Document document;
    document.Parse(answer->data(), answer->size());
    EXPECT_FALSE(document.HasParseError()) << *answer;
    return *answer;
  }

  test::FakeWorld world_;
  engine::ConnectorSet connectors_{world_};
  History history_{connectors_, Clock::Real()};
  std::vector<KnownConnector> known_;
};

TEST_F(ConsolePagesTest, ARowHasWhatAListShowsAndNoMore) {
  const std::string list = Ask("list");
  EXPECT_THAT(list, HasSubstr(R"("rows":[{"name":"orders","state":"RUNNING","word":"RUNNING",)"
                              R"("kind":"good","does":"streaming")"));
  EXPECT_THAT(list, Not(HasSubstr("tables")));
  EXPECT_LT(list.size(), 300u) << "it is asked for every two seconds";
}

TEST_F(ConsolePagesTest, WhatAWorkerKnowsIsShownThoughItDoesNotRun) {
  known_ = {
      {.name = "broken",
       .state = "RUNNING",
       .task = "FAILED",
       .trace = "org.apache.kafka.common.config.ConfigException: property 'x': wrong",
       .other = false},
      {.name = "jdbc", .state = "UNASSIGNED", .task = "", .trace = "left alone", .other = true},
      {.name = "orders", .state = "RUNNING", .task = "RUNNING", .trace = "", .other = false},
      {.name = "quiet", .state = "STOPPED", .task = "", .trace = "", .other = false}};
  const std::string list = Ask("list");
  EXPECT_THAT(list, HasSubstr(R"({"name":"broken","state":"FAILED","word":"FAILED","kind":"bad",)"
                              R"("about":"property 'x': wrong"})"));
  EXPECT_THAT(list, HasSubstr(R"("about":"left alone","other":true})"));
  EXPECT_THAT(list, HasSubstr(R"({"name":"quiet","state":"STOPPED","word":"STOPPED",)"
                              R"("kind":"none"})"));
  EXPECT_EQ(list.find("\"orders\""), list.rfind("\"orders\"")) << "once";
  EXPECT_THAT(Ask("connector", "quiet"), StartsWith(R"({"rows":[{"name":"quiet")"));
}

TEST_F(ConsolePagesTest, WhatAnotherWorkerOfTheGroupHasIsShownAsThatOneSaysIt) {
  const std::string on = "b:1", url = "http://b:1";
  known_ = {
      {.name = "begins", .state = "RUNNING", .task = "", .trace = "", .on = on, .url = url},
      {.name = "nobody", .state = "UNASSIGNED", .task = "UNASSIGNED", .trace = "it moves"},
      {.name = "there", .state = "RUNNING", .task = "RUNNING", .trace = "", .on = on, .url = url},
      {.name = "wrong", .state = "RUNNING", .task = "FAILED", .trace = "why", .on = on}};
  const std::string list = Ask("list");
  EXPECT_THAT(list, HasSubstr(R"({"name":"begins","state":"RUNNING","word":"STARTING",)"));
  EXPECT_THAT(list, HasSubstr(R"({"name":"nobody","state":"UNASSIGNED","word":"UNASSIGNED",)"
                              R"("kind":"bad","about":"it moves"})"));
  EXPECT_THAT(list, HasSubstr(R"({"name":"there","state":"RUNNING","word":"RUNNING",)"
                              R"("kind":"good","on":"b:1","url":"http://b:1"})"));
  EXPECT_THAT(list, HasSubstr(R"("word":"FAILED","kind":"bad","about":"why","on":"b:1")"));
}

TEST_F(ConsolePagesTest, OneConnectorIsItsRowAndItsStatus) {
  const std::string one = Ask("connector", "orders");
  EXPECT_THAT(one, StartsWith(R"({"rows":[{"name":"orders")"));
  EXPECT_THAT(one, HasSubstr(R"("status":{"version":)"));
  EXPECT_THAT(one, HasSubstr(R"("tables":[)"));
  EXPECT_THAT(Ask("connector", "none"), StartsWith(R"({"rows":[],"status":{)"));
}

TEST_F(ConsolePagesTest, WhatIsKept) {
  EXPECT_THAT(Ask("history", "orders"), HasSubstr(R"("seconds":10.0,"points":[{)"));
  EXPECT_THAT(Ask("history", "none"), HasSubstr(R"("points":[])"));
  EXPECT_EQ(Ask("log", "none"), R"({"lines":[]})");
  EXPECT_EQ(Ask("config", "orders"), R"({"properties":[["database.password","******"]]})");
  EXPECT_EQ(Ask("config", "none"), "none");
  EXPECT_THAT(Ask("reason", "slot_lost"), StartsWith(R"({"name":"slot_lost","loses":true,)"));
  EXPECT_EQ(Ask("reason", "none"), "There is no reason none.");
  EXPECT_EQ(Ask("nothing"), "There is no page nothing.");
}

class VerdictTest : public testing::Test {
 protected:
  VerdictTest() {
    one_.status.state = engine::ConnectorState::kRunning;
    one_.status.activity = engine::Activity::kStreaming;
    one_.metrics = &metrics_;
    process_.monotonic = absl::Seconds(100);
  }
  std::string Word() const {
    const Verdict verdict = VerdictOf(one_, process_);
    return absl::StrCat(verdict.word, " ", verdict.kind, verdict.about.empty() ? "" : " ",
                        verdict.about);
  }
  void Slot(const std::string& wal_status, uint64_t growth = 0) {
    metrics::SlotView view;
    view.slot = "s";
    view.wal_status = wal_status;
    view.growth_per_second = growth;
    if (growth > 0) view.safe_wal_bytes = 100;
    view.looked_at = process_.monotonic;
    metrics_.slot.Show(std::move(view));
  }

  metrics::ConnectorMetrics metrics_;
  ShownConnector one_;
  ProcessView process_;
};

TEST_F(VerdictTest, WhatIsWrongComesBeforeWhatItDoes) {
  EXPECT_EQ(Word(), "RUNNING good");
  one_.status.stall = engine::Stall{.since = {}, .kind = "sink", .cause = "Kafka"};
  EXPECT_EQ(Word(), "STALLED warn waiting for Kafka");
  metrics::CaptureProblem problem;
  problem.reason = "table_created_anew";
  problem.message = "m";
  metrics_.capture.Show({.problems = {problem}, .looked_at = process_.monotonic});
  EXPECT_EQ(Word(), "not captured bad table_created_anew: m");
  Slot("reserved", 10);
  EXPECT_EQ(Word(), "slot at risk bad the slot is lost in 10 s at the present rate");
  Slot("lost");
  EXPECT_EQ(Word(), "slot lost bad slot_lost: replication slot \"s\" was invalidated");
  one_.status.state = engine::ConnectorState::kFailed;
  one_.status.last_error = engine::ConnectorError{
      .at = {}, .message = "gone", .reason = "position_lost", .hint = "", .change = ""};
  EXPECT_EQ(Word(), "FAILED bad position_lost: gone");
}

TEST_F(VerdictTest, AnErrorThatIsSolvedIsNone) {
  one_.status.last_error = engine::ConnectorError{
      .at = {}, .message = "away", .reason = "broker_unavailable", .hint = "", .change = ""};
  one_.status.activity = engine::Activity::kRetrying;
  EXPECT_EQ(Word(), "retrying warn broker_unavailable: away");
  one_.status.last_error->solved_at = absl::Now();
  one_.status.activity = engine::Activity::kStreaming;
  EXPECT_EQ(Word(), "RUNNING good");
}

TEST_F(VerdictTest, ASlotThatWasMovedOnComesBeforeWhatItWaitsFor) {
  one_.status.last_error = engine::ConnectorError{
      .at = {}, .message = "taken", .reason = "slot_in_use", .hint = "", .change = ""};
  one_.status.activity = engine::Activity::kRetrying;
  metrics_.slot.ShowPosition(
      metrics::PositionProblem{.reason = "position_skipped", .message = "moved", .hint = ""});
  EXPECT_EQ(Word(), "cannot go on bad position_skipped: moved");
  one_.status.activity = engine::Activity::kStreaming;
  EXPECT_EQ(Word(), "RUNNING good");
}

TEST_F(VerdictTest, WhoHasGoneOnFromWhereItRestsIsNamed) {
  one_.status.state = engine::ConnectorState::kStopped;
  one_.status.activity = engine::Activity::kNone;
  metrics_.slot.ShowGoneOn({.reason = "gone_on", .message = "another reader", .hint = ""});
  EXPECT_EQ(Word(), "STOPPED warn read by another reader");
  EXPECT_EQ(HealthOf(one_, process_.monotonic), Health::kTroubled);
  one_.status.state = engine::ConnectorState::kRunning;
  one_.status.activity = engine::Activity::kStreaming;
  EXPECT_EQ(Word(), "RUNNING good") << "the next look takes it away";
  EXPECT_EQ(HealthOf(one_, process_.monotonic), Health::kFine);
}

TEST_F(VerdictTest, ParkedRowsAreToBeLookedAt) {
  metrics_.backlog.Show({.parked = 1}, process_.monotonic);
  EXPECT_EQ(Word(),
            "RUNNING warn 1 row of an outbox table is parked: not published, and tried no more");
  metrics_.backlog.Show({.parked = 2}, process_.monotonic);
  EXPECT_EQ(Word(),
            "RUNNING warn 2 rows of outbox tables are parked: not published, and tried no more");
  metrics_.backlog.Show({.parked = 0}, process_.monotonic);
  EXPECT_EQ(Word(), "RUNNING good");
}

TEST_F(VerdictTest, WhatRestsIsAsItWasAskedToBe) {
  one_.status.state = engine::ConnectorState::kPaused;
  EXPECT_EQ(Word(), "PAUSED none");
  Slot("lost");
  EXPECT_THAT(Word(), StartsWith("slot lost bad")) << "also while nobody reads it";
}

}  // namespace
}  // namespace walduct::admin
