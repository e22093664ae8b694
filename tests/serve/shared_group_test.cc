// SharedGroup with coordinators and topics of the test.
#include "serve/assignment/shared_group.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "kafka/group/group_timing.h"
#include "serve/topics/topic_formats.h"
#include "tests/serve/memory_topics.h"
#include "tests/support/simulated_time.h"

namespace walduct::test {
namespace {

using serve::InternalTopic;
using serve::SharedGroup;

constexpr char kHere[] = "http://here:1", kThere[] = "http://there:1";

class SharedGroupTest : public testing::Test {
 protected:
  absl::Duration now() const { return environment_.clock->Monotonic(); }
  // Members as the coordinator lists them now.
  void See(bool leads, bool there) {
    view_ = {.held = leads, .answered = true, .others = there ? 1 : 0};
    view_.holder = leads || !there ? "" : std::string(kThere) + " at 10.0.0.2";
    view_.members = {{.client = kHere, .self = true}};
    if (there) view_.members.push_back({.client = kThere});
    view_.listed_at = now();
  }
  std::string Written() const {
    return topics_.Last(InternalTopic::kConfigs, "walduct-assignment").value_or("");
  }
  static std::string Plan(int epoch, const std::string& shares, const char* leader = kThere) {
    return "{\"epoch\":" + std::to_string(epoch) + ",\"leader\":\"" + leader +
           "\",\"connectors\":{" + shares + "}}";
  }
  void Say(const std::string& worker, const std::string& state, int generation) {
    group_.TakeStatus(
        serve::ConnectorStatusKey("a"),
        serve::StatusValue({.state = state, .trace = {}, .version = {}}, worker, generation));
  }

  SimulatedTime time_;
  const Environment environment_ = time_.environment();
  MemoryTopics topics_;
  kafka::SeatView view_;
  std::map<std::string, int> weights_ = {{"a", 1}, {"b", 1}};
  int ends_ = 0;  // that were told
  SharedGroup group_{{.topics = &topics_,
                      .environment = environment_,
                      .group = "g",
                      .url = kHere,
                      .view = [this] { return view_; },
                      .confirmed = [] { return absl::OkStatus(); },
                      .weights = [this] { return std::optional(weights_); },
                      .ends_soon = [this] { ++ends_; }}};
};

constexpr char kMoves[] = R"("a":{"worker":"http://here:1","since":5,"from":"http://there:1"})";

// The members were listed before the seat was this worker's: the one who had it may be among them.
TEST_F(SharedGroupTest, ANewLeaderSharesOutByAnAnswerThatIsNewer) {
  See(true, true);
  time_.Advance(absl::Milliseconds(100));
  view_.held_since = now();
  group_.BeCaughtUp();
  group_.Turn(true);
  EXPECT_EQ(Written(), "");
  view_.listed_at = now();
  group_.Turn(true);
  EXPECT_NE(Written(), "");
}

TEST_F(SharedGroupTest, AloneOwnsEverythingAndWritesNothing) {
  See(/*leads=*/true, /*there=*/false);
  group_.BeCaughtUp();
  group_.Turn(true);
  EXPECT_TRUE(group_.Owns("a"));
  EXPECT_TRUE(group_.leader().self);
  EXPECT_EQ(Written(), "");
  EXPECT_EQ(group_.GenerationOf("a"), 1);
}

TEST_F(SharedGroupTest, WhoWasNeverListedIsNotAlone) {
  See(/*leads=*/true, /*there=*/false);
  view_.listed_at = -absl::InfiniteDuration();
  group_.BeCaughtUp();
  group_.Turn(true);
  EXPECT_FALSE(group_.Owns("a"));
  EXPECT_FALSE(group_.leader().self);
  See(true, false);
  group_.Turn(true);
  EXPECT_TRUE(group_.Owns("a"));
  time_.Advance(absl::Minutes(1));  // no broker answers any more
  EXPECT_TRUE(group_.Owns("a"));
}

// The client gives the seat up by its own clock.
TEST_F(SharedGroupTest, AloneGoesOnWithoutTheSeatUntilAnotherIsListed) {
  See(/*leads=*/true, /*there=*/false);
  group_.BeCaughtUp();
  group_.Turn(true);
  bool revoked = false;
  group_.OnRevoke([&](const serve::Assignment::Done& done) {
    revoked = true;
    done();
  });
  const auto look = [&] {
    group_.Turn(true);
    return group_.Owns("a");
  };
  view_.held = view_.answered = false;
  time_.Advance(absl::Hours(1));
  EXPECT_TRUE(look());
  EXPECT_FALSE(group_.leader().self);
  const uint64_t reading = group_.reading();
  See(true, false);  // a broker answers again
  EXPECT_TRUE(look());
  EXPECT_TRUE(group_.leader().self);
  EXPECT_GT(group_.reading(), reading);
  EXPECT_FALSE(revoked);
  view_.held = view_.answered = false;
  EXPECT_TRUE(look());
  See(/*leads=*/false, /*there=*/true);  // came meanwhile, and leads
  EXPECT_FALSE(look());
  EXPECT_TRUE(revoked);
  See(false, false);
  EXPECT_FALSE(look());
  group_.OnRevoke(nullptr);
  EXPECT_EQ(Written(), "");
}

// One whose plan is of a group that was: the others left before Kafka went.
TEST_F(SharedGroupTest, WhoIsLeftAloneWithAPlanGoesOn) {
  See(true, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  group_.TakePlan(Plan(5,
                       R"("a":{"worker":"http://here:1","since":5},)"
                       R"("b":{"worker":"http://there:1","since":5})",
                       kHere));
  See(true, false);
  group_.Turn(true);
  group_.TakePlan(Written());
  EXPECT_TRUE(group_.Owns("a") && group_.Owns("b"));
  view_.held = view_.answered = false;
  time_.Advance(absl::Hours(1));
  group_.Turn(true);
  EXPECT_TRUE(group_.Owns("a") && group_.Owns("b"));
}

TEST_F(SharedGroupTest, ANewcomerGetsHalfOnceItHasEnded) {
  See(true, false);
  group_.BeCaughtUp();
  group_.Turn(true);
  See(true, true);
  group_.Turn(true);
  EXPECT_TRUE(absl::StrContains(Written(), R"("from":"http://here:1")")) << Written();
  EXPECT_TRUE(group_.Owns("a") && group_.Owns("b"));  // until it comes back
  group_.TakePlan(Written());
  EXPECT_NE(group_.Owns("a"), group_.Owns("b"));
  const std::string goes = group_.Owns("a") ? "b" : "a";
  EXPECT_EQ(group_.Leaving(), (std::map<std::string, int64_t>{{goes, 2}}));
  EXPECT_FALSE(group_.WhereIs(goes)->runs);
  group_.TakeStatus(
      serve::ConnectorStatusKey(goes),
      serve::StatusValue({.state = "UNASSIGNED", .trace = {}, .version = {}}, "here:1", 1));
  EXPECT_FALSE(group_.Leaving().empty());  // of an earlier life
  group_.TakeStatus(
      serve::ConnectorStatusKey(goes),
      serve::StatusValue({.state = "UNASSIGNED", .trace = {}, .version = {}}, "here:1", 2));
  EXPECT_TRUE(group_.Leaving().empty());
  EXPECT_TRUE(group_.WhereIs(goes)->runs);
}

TEST_F(SharedGroupTest, WhoLeadsHandsOverWhatItRanWhenItEnds) {
  See(true, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  group_.TakePlan(Plan(5,
                       R"("a":{"worker":"http://here:1","since":5},)"
                       R"("b":{"worker":"http://there:1","since":5,"from":"http://here:1"})",
                       kHere));
  group_.HandOver();
  EXPECT_EQ(Written(), Plan(6,
                            R"("a":{"worker":"http://there:1","since":6},)"
                            R"("b":{"worker":"http://there:1","since":5})",
                            kHere));
}

TEST_F(SharedGroupTest, WhoDoesNotLeadOrIsAloneHandsNothingOver) {
  See(false, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  group_.TakePlan(Plan(5, R"("a":{"worker":"http://here:1","since":5})"));
  group_.HandOver();
  EXPECT_EQ(Written(), "");
  See(true, false);
  group_.Turn(false);
  group_.HandOver();
  EXPECT_EQ(Written(), "");
}

TEST_F(SharedGroupTest, WhoEndsIsLookedForAndWhoHandsOneOverIsNot) {
  See(true, true);
  group_.TakePlan(Plan(4, R"("a":{"worker":"http://there:1","since":4})"), /*news=*/false);
  Say("there:1", "UNASSIGNED", 4);  // before this worker came
  group_.BeCaughtUp();
  group_.Turn(true);
  Say("there:1", "RUNNING", 4);
  EXPECT_EQ(ends_, 0);
  Say("there:1", "UNASSIGNED", 4);
  EXPECT_EQ(ends_, 1);
  group_.TakePlan(Plan(5, kMoves));
  Say("there:1", "UNASSIGNED", 5);
  Say("here:1", "UNASSIGNED", 5);
  EXPECT_EQ(ends_, 1);
}

// Hundreds of connectors, five times a second: what rests is not gone over.
TEST_F(SharedGroupTest, ATurnWithoutNewsLooksAtNothing) {
  int looks = 0;
  uint64_t changes = 1;
  SharedGroup group({.topics = &topics_,
                     .environment = environment_,
                     .group = "g",
                     .url = kHere,
                     .view = [this] { return view_; },
                     .confirmed = [] { return absl::OkStatus(); },
                     .weights =
                         [&] {
                           ++looks;
                           return std::optional(weights_);
                         },
                     .lease =
                         [this] {
                           return kafka::MemberLease{.listed_at = view_.listed_at,
                                                     .others = view_.others};
                         },
                     .changes = [&] { return changes; }});
  const auto turn = [&] {
    const int before = looks;
    group.Turn(true);
    return looks > before;
  };
  See(false, true);
  EXPECT_TRUE(turn());
  EXPECT_FALSE(turn());
  ++changes;
  EXPECT_TRUE(turn()) << "connectors";
  group.TakePlan(Plan(5, R"("a":{"worker":"http://here:1","since":5})"));
  EXPECT_TRUE(turn()) << "a plan";
  group.TakeStatus(serve::ConnectorStatusKey("a"), std::nullopt);
  EXPECT_TRUE(turn()) << "a state";
  group.TopicWasLost();
  EXPECT_TRUE(turn()) << "a topic";
  EXPECT_FALSE(turn());
  See(false, false);
  EXPECT_TRUE(turn()) << "members";
  See(false, true);
  EXPECT_TRUE(turn() && group.Owns("a"));
  view_.listed_at = now() - kafka::GroupTiming().lease();
  EXPECT_FALSE(group.HoldsLease() || group.Owns("a"));
  EXPECT_TRUE(turn()) << "the lease";
  time_.Advance(absl::Seconds(1));
  EXPECT_TRUE(turn()) << "what comes with time";
}

TEST_F(SharedGroupTest, WhatComesIsOwnedWhenItsFormerWorkerHasSaidSo) {
  See(false, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  group_.TakePlan(Plan(5, kMoves));
  EXPECT_FALSE(group_.Owns("a"));
  Say("there:1", "RUNNING", 4);
  EXPECT_FALSE(group_.Owns("a"));
  Say("there:1", "UNASSIGNED", 4);  // of an earlier hand-over
  EXPECT_FALSE(group_.Owns("a"));
  Say("there:1", "UNASSIGNED", 5);
  EXPECT_TRUE(group_.Owns("a"));
  EXPECT_EQ(group_.GenerationOf("a"), 5);
}

TEST_F(SharedGroupTest, WhatIsCreatedAgainWaitsForTheWorkerThatHadTheName) {
  See(true, true);
  group_.BeCaughtUp();
  group_.TakePlan(Plan(5,
                       R"("a":{"worker":"http://there:1","since":5},)"
                       R"("b":{"worker":"http://there:1","since":5})",
                       kHere));
  weights_ = {{"b", 1}};
  group_.Turn(true);
  ASSERT_FALSE(absl::StrContains(Written(), R"("a")")) << Written();
  group_.TakePlan(Written());
  weights_["a"] = 1;
  group_.Turn(true);
  const std::string again = R"("a":{"worker":"http://here:1","since":7,"from":"http://there:1"})";
  ASSERT_TRUE(absl::StrContains(Written(), again)) << Written();
  group_.TakePlan(Written());
  EXPECT_FALSE(group_.Owns("a"));
  Say("there:1", "UNASSIGNED", 7);
  EXPECT_TRUE(group_.Owns("a"));
}

TEST_F(SharedGroupTest, WhoIsNotListedAnyMoreOwnsNothing) {
  See(false, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  group_.TakePlan(Plan(5, R"("a":{"worker":"http://here:1","since":5})"));
  EXPECT_TRUE(group_.Owns("a"));
  view_.listed_at = now() - kafka::GroupTiming().lease();
  EXPECT_FALSE(group_.Owns("a"));  // before anybody looks
  bool revoked = false;
  group_.OnRevoke([&](const serve::Assignment::Done& done) {
    revoked = true;
    done();
  });
  group_.Turn(true);
  EXPECT_TRUE(revoked);
  See(false, true);
  group_.Turn(true);
  EXPECT_TRUE(group_.Owns("a"));
  group_.OnRevoke(nullptr);
}

TEST_F(SharedGroupTest, APlanOfALeaderThatNobodySeesIsNotFollowed) {
  See(false, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  group_.TakePlan(Plan(5, R"("a":{"worker":"http://here:1","since":5})", "http://gone:1"));
  EXPECT_FALSE(group_.Owns("a"));
  group_.TakePlan(Plan(6, R"("a":{"worker":"http://here:1","since":5})"));
  EXPECT_TRUE(group_.Owns("a"));
}

TEST_F(SharedGroupTest, OfTwoPlansOfOneEpochTheFirstCountsAndIsWrittenAgain) {
  See(true, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  const std::string first = Written();
  EXPECT_TRUE(absl::StrContains(first, R"("epoch":2)"));
  group_.TakePlan(first);  // its own, as it comes back
  group_.Turn(true);
  EXPECT_EQ(Written(), first);
  group_.TakePlan(Plan(2, R"("a":{"worker":"http://there:1","since":1})"));
  EXPECT_NE(group_.Owns("a"), group_.Owns("b"));
  group_.Turn(true);
  EXPECT_TRUE(absl::StrContains(Written(), R"("epoch":3)")) << Written();
}

TEST_F(SharedGroupTest, APlanThatItsTopicHasLostIsWrittenAgain) {
  See(/*leads=*/true, /*there=*/true);
  group_.BeCaughtUp();
  group_.Turn(true);
  const std::string first = Written();
  group_.TakePlan(first);
  topics_.LoseAll();
  group_.Turn(true);
  EXPECT_EQ(Written(), "");
  group_.TopicWasLost();
  group_.Turn(true);
  EXPECT_NE(Written(), "");
  EXPECT_NE(Written(), first) << "in the same epoch nobody would take it";
}

TEST_F(SharedGroupTest, AnEndThatNobodySaysIsNotWaitedForForEver) {
  See(false, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  group_.TakePlan(Plan(5, kMoves));
  time_.Advance(SharedGroup::kHandOver - absl::Seconds(1));
  See(false, true);
  group_.Turn(true);
  EXPECT_FALSE(group_.Owns("a"));
  EXPECT_TRUE(absl::StrContains(group_.WhereIs("a")->why, "once there:1 has ended it"));
  time_.Advance(absl::Seconds(1));
  See(false, true);
  group_.Turn(true);
  EXPECT_TRUE(group_.Owns("a"));
  // The next one that moves is waited for anew.
  group_.TakePlan(Plan(6, R"("a":{"worker":"http://here:1","since":6,"from":"http://there:1"})"));
  EXPECT_FALSE(group_.Owns("a"));
}

TEST_F(SharedGroupTest, ShowsWhoRunsWhatAndWhatNobodyRuns) {
  See(false, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  group_.TakePlan(Plan(4, R"("a":{"worker":"http://there:1","since":4})"), /*news=*/false);
  group_.TakePlan(Plan(5, kMoves));
  time_.Advance(absl::Seconds(3));
  See(false, true);
  group_.Turn(true);
  const admin::GroupView view = group_.View();
  EXPECT_EQ(view.epoch, 5);
  ASSERT_EQ(view.workers.size(), 2u);
  EXPECT_EQ(view.workers[0].address, "here:1");
  EXPECT_EQ(view.workers[0].connectors, 1);
  EXPECT_EQ(view.workers[0].names, std::vector<std::string>{"a"});
  EXPECT_TRUE(view.workers[0].self);
  EXPECT_TRUE(view.workers[1].leads);
  ASSERT_EQ(view.unassigned.size(), 2u);
  EXPECT_EQ(view.unassigned[0].name, "a");
  EXPECT_EQ(view.unassigned[0].since, time_.Now() - absl::Seconds(3));
  EXPECT_TRUE(absl::StrContains(view.unassigned[0].why, "it moves to here:1"));
  EXPECT_TRUE(absl::StrContains(view.unassigned[1].why, "the leader has not given it to one yet"));
  ASSERT_EQ(view.moves.size(), 1u);
  EXPECT_EQ(view.moves[0].why, "evened_out");
  EXPECT_EQ(view.moved.at("evened_out"), 1u);
  Say("there:1", "UNASSIGNED", 5);
  EXPECT_EQ(group_.View().unassigned.size(), 1u);
  // The other one is gone: what it has nobody runs.
  See(true, false);
  group_.TakePlan(Plan(6, R"("a":{"worker":"http://there:1","since":6})"));
  group_.Turn(false);
  EXPECT_TRUE(absl::StrContains(group_.View().unassigned[0].why, "is no member of the group"));
  EXPECT_FALSE(group_.View().workers[1].member);
}

TEST_F(SharedGroupTest, TheLeaderSpeaksForWhatNobodyHas) {
  See(true, true);
  group_.BeCaughtUp();
  group_.Turn(true);
  EXPECT_TRUE(group_.SpeaksFor("deleted"));
  See(false, true);
  group_.Turn(true);
  EXPECT_FALSE(group_.SpeaksFor("deleted"));
  EXPECT_EQ(group_.leader().url, kThere);
}

}  // namespace
}  // namespace walduct::test
