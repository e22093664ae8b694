#include "operate/doctor/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "metrics/connector_metrics.h"
#include "operate/doctor/checks.h"
#include "operate/doctor/subject/subject_of.h"
#include "replication/options.h"

namespace walduct::operate {
namespace {

using ::testing::ElementsAre;

class LiveTest : public ::testing::Test {
 protected:
  LiveTest() {
    status_.state = engine::ConnectorState::kRunning;
    status_.activity = engine::Activity::kStreaming;
  }
  void Fails(const std::string& reason, const std::string& hint) {
    status_.last_error = {.at = now_, .message = "m", .reason = reason, .hint = hint, .change = ""};
  }
  void Lacks(bool loses) {
    metrics::CaptureProblem problem;
    problem.reason = "publication_lacks_operations";
    problem.loses = loses;
    problem.message = "live";
    problem.hint = "h";
    problem.count = 1;
    problem.tables = {"updates"};
    metrics_.capture.Show({.problems = {problem}, .looked_at = {}});
  }
  // "warning stalled: m -> h"
  std::vector<std::string> Said(std::vector<Finding> found = {}) {
    Findings findings;
    findings.all = std::move(found);
    AddLive(status_, metrics_, now_, &findings);
    std::vector<std::string> said;
    for (const Finding& one : findings.all)
      said.push_back(absl::StrCat(SeverityText(one.severity), " ", one.reason, ": ", one.message,
                                  " -> ", one.hint));
    return said;
  }

  const absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
  engine::ConnectorStatus status_;
  metrics::ConnectorMetrics metrics_;
};

TEST_F(LiveTest, AStallIsAWarning) {
  EXPECT_THAT(Said(), ElementsAre());
  status_.stall = {.since = now_ - absl::Milliseconds(12'300),
                   .kind = "catalog",
                   .cause = "a lock on table t, held up by pid 7",
                   .hint = "end it"};
  EXPECT_THAT(Said(), ElementsAre("warning connector_stalled: the connector has made no progress "
                                  "for 12s: it waits for a lock on table t, held up by pid 7 -> "
                                  "end it"));
}

TEST_F(LiveTest, AStartThatSomebodyHoldsUpIsAWarning) {
  status_.wait = engine::WaitReason::kTransactions;
  status_.wait_since = now_ - absl::Seconds(2);
  EXPECT_THAT(Said(), ElementsAre()) << "a slot takes its time";
  status_.wait_on = "pid 7 (database shop)";
  status_.wait_hint = "end it";
  EXPECT_THAT(Said(), ElementsAre("warning connector_stalled: the connector has waited for 2s for "
                                  "transactions that are older than the slot: pid 7 (database "
                                  "shop) -> end it"));
  status_.wait = engine::WaitReason::kNothing;
  EXPECT_THAT(Said(), ElementsAre());
  status_.wait = engine::WaitReason::kTransactions;
  status_.wait_on = status_.wait_hint = "";
  status_.wait_since = now_ - absl::Seconds(4);
  EXPECT_EQ(Said().size(), 1u);
  status_.stall = {.since = now_ - absl::Seconds(12), .kind = "database", .cause = "it"};
  EXPECT_EQ(Said().size(), 1u) << "a stall says the same";
}

TEST(ASlotThatNobodyReads, IsReadByNoStartThatIsRefused) {
  Findings findings;
  findings.Add({.severity = Severity::kWarning,
                .reason = "slot_inactive",
                .message = "m",
                .hint = "start the connector (it reads it); or, if not: DROP"});
  NoStartBesideErrors(&findings);
  EXPECT_EQ(findings.all.front().hint, "start the connector (it reads it); or, if not: DROP");
  findings.Add({.severity = Severity::kError, .reason = "mask_lost", .message = "m", .hint = "h"});
  NoStartBesideErrors(&findings);
  EXPECT_EQ(
      findings.all.front().hint,
      "a start does not help before mask_lost is mended: see to that first; or, if not: DROP");
}

// One that rests reads it, too: it is not to be dropped under it.
TEST(SlotsOfOthers, AreNotToBeDropped) {
  const std::string drop = "start it, or SELECT pg_drop_replication_slot('dbz_shop')";
  const auto hint = [](const std::string& own, const std::set<std::string>& others,
                       const std::string& said) {
    Findings findings;
    findings.Add({.severity = Severity::kNotice, .reason = "r", .message = "m", .hint = said});
    KeepSlotsOfOthers(own, others, &findings);
    return findings.all.front().hint;
  };
  EXPECT_EQ(hint("dbz_shop", {"", "other", "dbz_shop"}, drop),
            "another connector reads that slot, too: give one of the two another slot.name");
  EXPECT_EQ(hint("own", {"dbz_shop"}, drop), "another connector reads that slot: start that one");
  const std::string reset = "walduct offsets reset shop --drop-slot --accept-loss";
  EXPECT_NE(hint("dbz_shop", {"dbz_shop"}, reset), reset);
  EXPECT_EQ(hint("own", {"dbz_shop"}, reset), reset);
  EXPECT_EQ(hint("dbz_shop", {"", "other", "dbz_shop_2"}, drop), drop);
}

TEST(ConfigurationWarnings, AMisspeltNameIsAWarningWhatHasNoEffectANotice) {
  Findings findings;
  AddWarnings({"property 'tasks.max': has no effect: one task",
               "property 'table.include.lst': unknown property; it has no effect; did you mean "
               "'table.include.list'?"},
              &findings);
  ASSERT_EQ(findings.all.size(), 2u);
  EXPECT_EQ(findings.all[0].severity, Severity::kWarning);
  EXPECT_EQ(findings.all[0].reason, "configuration_warning");
  EXPECT_NE(findings.all[0].message.find("did you mean"), std::string::npos);
  EXPECT_EQ(findings.all[1].severity, Severity::kNotice);
}

TEST(ConfigurationWarnings, AValueThatIsReadAsAnotherHasNoWrongName) {
  Findings findings;
  AddWarnings({"property 'plugin.name': 'wal2json' is mapped to pgoutput, which"}, &findings);
  ASSERT_EQ(findings.all.size(), 1u);
  EXPECT_EQ(findings.all[0].severity, Severity::kNotice);
  EXPECT_EQ(findings.all[0].hint, "take the line out, or leave it so");
}

TEST_F(LiveTest, WhatIsDoneBesideTheStreamIsAWarning) {
  metrics_.beside.Waits(metrics::Beside::kIncrementalSnapshot, now_ - absl::Seconds(12),
                        "waits for a lock on table t, held up by pid 7", "end it");
  metrics_.beside.Failed(metrics::Beside::kHeartbeatAction, now_ - absl::Seconds(3), "no", "grant");
  EXPECT_THAT(Said(), ElementsAre("warning beside_fails: heartbeat_action has failed for 3s: no -> "
                                  "grant",
                                  "warning beside_waits: incremental_snapshot waits for a lock on "
                                  "table t, held up by pid 7, for 12s -> end it"));
  metrics_.beside.Works(metrics::Beside::kIncrementalSnapshot);
  metrics_.beside.Works(metrics::Beside::kHeartbeatAction);
  EXPECT_THAT(Said(), ElementsAre());
}

TEST_F(LiveTest, OfOneReasonTheWorseCounts) {
  const Finding looked{.severity = Severity::kNotice,
                       .reason = "publication_lacks_operations",
                       .message = "looked",
                       .hint = ""};
  const Finding notice{.severity = Severity::kNotice, .reason = "a", .message = "", .hint = ""};
  const std::string live = "warning publication_lacks_operations: live (1): updates -> h";
  Lacks(true);
  EXPECT_THAT(Said({notice, looked}), ElementsAre(live, "notice a:  -> "));
  Lacks(false);
  EXPECT_THAT(Said({looked}), ElementsAre("notice publication_lacks_operations: looked -> "));
}

TEST_F(LiveTest, WhatItFailsOfComesFirstAlsoWhileItStreams) {
  const Finding other{.severity = Severity::kError, .reason = "a", .message = "", .hint = ""};
  const std::string gone = "error offset_topic_gone: m -> do not stop this process";
  Fails("offset_topic_gone", "do not stop this process");
  EXPECT_THAT(Said({other}), ElementsAre(gone, "error a:  -> "));
  status_.last_error->solved_at = now_;
  EXPECT_THAT(Said({other}), ElementsAre("error a:  -> "));
  status_.state = engine::ConnectorState::kFailed;
  EXPECT_THAT(Said({other}), ElementsAre(gone, "error a:  -> "));
  status_.last_error->solved_at.reset();
  status_.state = engine::ConnectorState::kPaused;
  EXPECT_THAT(Said({other}), ElementsAre("error a:  -> "));
}

// As `walduct status` tells it: how fast, how long, and who.
TEST_F(LiveTest, ASlotThatIsSoonLostIsSaidWithItsForecast) {
  metrics::SlotView slot{.slot = "s",
                         .wal_status = "extended",
                         .wal_end = Lsn(9),
                         .retained_bytes = 40 << 20,
                         .growth_per_second = 4 << 20,
                         .safe_wal_bytes = 68 << 20,
                         .oldest_transaction = {},
                         .looked_at = absl::Seconds(1)};
  metrics_.slot.Show(slot);
  const std::string hint = kKeepSlot;
  EXPECT_THAT(Said(), ElementsAre("warning slot_soon_lost: replication slot \"s\" is about to be "
                                  "lost: it is extended, 40.0 MB of WAL kept, 68.0 MB until it is "
                                  "lost, grows by 4.0 MB/s, lost in 17s -> " +
                                  hint));
  const Finding looked{
      .severity = Severity::kError, .reason = "slot_unreserved", .message = "looked", .hint = hint};
  slot.oldest_transaction = {.who = "pid 7 (database d)", .age = absl::Minutes(3)};
  slot.looked_at = absl::Seconds(2);
  metrics_.slot.Show(slot);
  EXPECT_THAT(Said({looked}),
              ElementsAre("error slot_unreserved: looked, grows by 4.0 MB/s, lost in 17s; held by "
                          "pid 7 (database d), open for 3m -> " +
                          hint +
                          "; end it: COMMIT, ROLLBACK, ROLLBACK PREPARED, or SELECT "
                          "pg_terminate_backend(7)"));
  metrics_.slot.OnUnreached();
  EXPECT_THAT(Said(), ElementsAre()) << "that is not known any more";
}

TEST_F(LiveTest, WithoutKafkaNoCommandIsTaken) {
  const Finding lost{.severity = Severity::kError,
                     .reason = "slot_lost",
                     .message = "m",
                     .hint = "walduct offsets reset shop"};
  EXPECT_THAT(Said({lost}), ElementsAre("error slot_lost: m -> walduct offsets reset shop"));
  Fails("broker_unavailable", "wait");
  EXPECT_THAT(Said({lost}),
              ElementsAre("error broker_unavailable: m -> wait",
                          "error slot_lost: m -> first Kafka has to answer: until then no command "
                          "is taken. Then walduct offsets reset shop"));
}

// Kafka is away, and with it the stored position; PostgreSQL was asked.
TEST_F(LiveTest, ASlotThatIsMissingIsToldWithoutTheStoredPosition) {
  engine::ConnectorOptions config;
  config.replication->slot_name = "shop_slot";
  const Environment environment = Environment::Real();
  const auto reasons = [&](bool had_slot, bool is_there) {
    Subject subject = SubjectOf(config);
    subject.had_slot = had_slot;
    Findings findings;
    Examination examined{.subject = subject, .environment = environment, .findings = findings};
    examined.slot.emplace();
    if (is_there) examined.slot->emplace();
    AskPosition(examined);
    std::vector<std::string> found;
    for (const Finding& one : findings.all)
      found.push_back(absl::StrCat(one.reason, " ", one.message));
    return found;
  };
  EXPECT_THAT(reasons(true, false),
              ElementsAre(::testing::StartsWith(
                  "slot_missing the server has no replication slot \"shop_slot\"")));
  EXPECT_THAT(reasons(true, true), ElementsAre());
  EXPECT_THAT(reasons(false, false), ElementsAre()) << "a first start makes it";
}

TEST_F(LiveTest, WhoHasHadASlotIsKnown) {
  EXPECT_FALSE(HadSlot(metrics_));
  metrics::SlotView view;
  view.wal_status = "missing";
  metrics_.slot.Show(view);
  EXPECT_FALSE(HadSlot(metrics_)) << "it is still to be made";
  view.wal_status = "reserved";
  metrics_.slot.Show(view);
  EXPECT_TRUE(HadSlot(metrics_));
  view.wal_status = "missing";
  metrics_.slot.Show(view);
  EXPECT_TRUE(HadSlot(metrics_));
}

TEST_F(LiveTest, AStatementTakesThePlaceOfWords) {
  const Finding looked{.severity = Severity::kError,
                       .reason = "publication_missing",
                       .message = "looked",
                       .hint = "CREATE PUBLICATION p; then walduct offsets reset"};
  Fails("publication_missing", "make it again");
  status_.state = engine::ConnectorState::kFailed;
  EXPECT_THAT(Said({looked}),
              ElementsAre("error publication_missing: m -> CREATE PUBLICATION p; then walduct "
                          "offsets reset"));
}

}  // namespace
}  // namespace walduct::operate
