#include "slot/phases/stream_phase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/slot/duties_fixture.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::slot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StreamPhaseTest : public DutiesFixture {
 protected:
  StreamPhaseTest() : DutiesFixture(3) { housekeeping().AttachStream(&source_, absl::Seconds(10)); }

  // A transaction that inserts these ids and ends at `end`.
  void SendTransaction(uint64_t end, const std::vector<std::string>& ids) {
    SendOpen(end, ids);
    source_.SendMessage(Lsn(end - 10), test::CommitBytes(end - 10, end, kTimeUs));
  }
  void SendOpen(uint64_t end, const std::vector<std::string>& ids) {
    uint64_t lsn = end - 80;
    source_.SendMessage(Lsn(lsn), test::BeginBytes(end - 10, kTimeUs, 700));
    source_.SendMessage(
        Lsn(), test::RelationBytes({.columns = {{.name = "id", .type = 25, .key = true}}}));
    for (const std::string& id : ids)
      source_.SendMessage(Lsn(++lsn), test::InsertBytes(test::kFakeTable, {test::Text(id)}));
  }
  absl::Status Run(std::optional<Lsn> goal = std::nullopt) {
    StreamPhase phase({.source = &source_,
                       .assembler = &assembler_,
                       .pipeline = &path_->pipeline(),
                       .housekeeping = &duties_.housekeeping(),
                       .heartbeat = &heartbeat_,
                       .checkpointer = &duties_.checkpointer(),
                       .tracker = &duties_.tracker(),
                       .sink = &sink_,
                       .clock = &time_,
                       .metrics = &metrics_,
                       .goal = goal});
    const absl::Status ran = phase.Run();
    goal_reached_ = phase.goal_reached();
    return ran;
  }

  static constexpr int64_t kTimeUs = 1'700'000'000'000'000;
  test::FakeTable table_;
  pgoutput::Assembler assembler_{table_, path_->pipeline(), {}};
  delivery::Heartbeat heartbeat_{{.interval = absl::ZeroDuration(),
                                  .clock = &time_,
                                  .pipeline = &path_->pipeline(),
                                  .sink = &sink_,
                                  .action = nullptr}};
  bool goal_reached_ = false;
};

TEST_F(StreamPhaseTest, PublishesWhatComesUntilItIsInterrupted) {
  SendTransaction(1000, {"a", "b"});
  time_.After(absl::Seconds(20), [this] { SendTransaction(2000, {"c"}); });
  GiveAfter(absl::Seconds(40), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(keys(), ElementsAre(R"({"id":"a"})", R"({"id":"b"})", R"({"id":"c"})"));
  EXPECT_EQ(duties_.tracker().safe()->commit_end, Lsn(2000));
  EXPECT_FALSE(goal_reached_);
}

// A table that somebody has locked: its description does not come.
class UndescribedTable final : public event::SchemaResolver {
 public:
  absl::Status Ask(const event::RelationDescription& /*relation*/) override {
    return absl::OkStatus();
  }
  absl::StatusOr<event::TableSchemaPtr> Poll() override { return nullptr; }
  absl::Duration UntilDue() override { return absl::Seconds(1); }
};

TEST_F(StreamPhaseTest, HeartbeatsDoNotHideThatATableIsLocked) {
  StallWatch watch({.patience = absl::Seconds(10),
                    .clock = &time_,
                    .board = &board_,
                    .metrics = &metrics_,
                    .sink = &sink_,
                    .tracker = &duties_.tracker(),
                    .checkpointer = &duties_.checkpointer(),
                    .server = nullptr});
  housekeeping().SetWatches(&watch, nullptr);
  UndescribedTable locked;
  pgoutput::Assembler assembler(locked, path_->pipeline(), {});
  delivery::Heartbeat heartbeat({.interval = absl::Seconds(2),
                                 .clock = &time_,
                                 .pipeline = &path_->pipeline(),
                                 .sink = &sink_,
                                 .action = nullptr});
  SendTransaction(1000, {"a"});
  std::optional<engine::Stall> stall;
  time_.After(absl::Seconds(15), [&] { stall = board_.Read().stall; });
  GiveAfter(absl::Seconds(16), engine::Command::kStop);
  StreamPhase phase({.source = &source_,
                     .assembler = &assembler,
                     .pipeline = &path_->pipeline(),
                     .schemas = &locked,
                     .housekeeping = &duties_.housekeeping(),
                     .heartbeat = &heartbeat,
                     .checkpointer = &duties_.checkpointer(),
                     .tracker = &duties_.tracker(),
                     .sink = &sink_,
                     .clock = &time_,
                     .metrics = &metrics_,
                     .goal = std::nullopt});
  ASSERT_TRUE(phase.Run().ok());
  EXPECT_GE(target_.records.size(), 7u) << "heartbeats went on";
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->kind, "catalog");
  housekeeping().SetWatches(nullptr, nullptr);
}

TEST_F(StreamPhaseTest, EndsOnceTheGoalIsBehind) {
  SendTransaction(1000, {"a"});
  SendTransaction(2000, {"b"});
  ASSERT_TRUE(Run(Lsn(1000)).ok());
  EXPECT_TRUE(goal_reached_);
}

TEST_F(StreamPhaseTest, WithAGoalTheServerIsAskedForItsPosition) {
  time_.After(absl::Milliseconds(120), [this] { source_.SendKeepalive(Lsn(5000), false); });
  ASSERT_TRUE(Run(Lsn(4000)).ok());
  EXPECT_TRUE(goal_reached_);
  const auto asks = [](const test::FakeWalSource::Status& s) { return s.reply_requested; };
  EXPECT_TRUE(std::any_of(source_.statuses.begin(), source_.statuses.end(), asks));
}

// Large rows, one each half a millisecond: there is more on its way after each.
TEST_F(StreamPhaseTest, AFlowFromANearServerComesToTheGoal) {
  source_.way = replication::ReceivePath::kNear;
  const absl::Duration begin = time_.Monotonic();
  for (int i = 1; i <= 20; ++i) {
    time_.After(i * absl::Microseconds(500), [this, i] {
      SendTransaction(static_cast<uint64_t>(i) * 1000, {std::string(20'000, 'x')});
    });
  }
  ASSERT_TRUE(Run(Lsn(20'000)).ok());
  EXPECT_TRUE(goal_reached_);
  EXPECT_EQ(keys().size(), 20u);
  EXPECT_LT(time_.Monotonic() - begin, absl::Milliseconds(20)) << "none was waited for in vain";
}

TEST_F(StreamPhaseTest, AStopEndsAFlowFromANearServer) {
  source_.way = replication::ReceivePath::kNear;
  std::vector<std::string> ids(100, "x");
  for (int i = 1; i <= 1000; ++i) {
    time_.After(i * absl::Milliseconds(1),
                [this, i, ids] { SendTransaction(static_cast<uint64_t>(i) * 1000, ids); });
  }
  GiveAfter(absl::Milliseconds(200), engine::Command::kStop);
  const absl::Duration begin = time_.Monotonic();
  ASSERT_TRUE(Run().ok());
  EXPECT_LT(time_.Monotonic() - begin, absl::Milliseconds(210));
  EXPECT_GT(keys().size(), 15'000u);
}

TEST_F(StreamPhaseTest, AKeepaliveBetweenTransactionsMovesThePosition) {
  SendTransaction(1000, {"a"});
  time_.After(absl::Seconds(1), [this] { source_.SendKeepalive(Lsn(9000), false); });
  GiveAfter(absl::Seconds(2), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(duties_.tracker().safe()->commit_end, Lsn(9000));
}

TEST_F(StreamPhaseTest, AKeepaliveInsideATransactionMovesNothing) {
  SendTransaction(1000, {"a"});
  SendOpen(2000, {"b"});
  source_.SendKeepalive(Lsn(9000), false);
  GiveAfter(absl::Seconds(2), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(duties_.tracker().safe()->commit_end, Lsn(1000));
  EXPECT_EQ(duties_.tracker().safe()->ordinal, 1u) << "the first change of the open transaction";
}

TEST_F(StreamPhaseTest, AServerThatWantsAnAnswerHasItStored) {
  SendTransaction(1000, {"a"});
  time_.After(absl::Seconds(1), [this] { source_.SendKeepalive(Lsn(1000), true); });
  GiveAfter(absl::Seconds(2), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(stored(), Lsn(1000)) << "before the interval of ten seconds";
  EXPECT_EQ(source_.statuses.back().flushed, Lsn(1000));
}

TEST_F(StreamPhaseTest, AnInterruptionInAChangeThatIsBlockedIsNoError) {
  sink_.by_hand = true;
  SendTransaction(1000, {"a", "b", "c", "d", "e"});
  GiveAfter(absl::Minutes(2), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(keys().size(), 3u);
  EXPECT_GT(source_.statuses.size(), 10u) << "keepalives went on";
}

TEST_F(StreamPhaseTest, APauseEndsIt) {
  GiveAfter(absl::Seconds(1), engine::Command::kPause);
  time_.After(absl::Seconds(2), [this] { SendTransaction(1000, {"a"}); });
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(keys(), IsEmpty());
}

TEST_F(StreamPhaseTest, APauseThatIsHeldReadsNothingButGoesOnAnswering) {
  control_.HoldPauses(true);
  GiveAfter(absl::Seconds(1), engine::Command::kPause);
  time_.After(absl::Seconds(2), [this] { SendTransaction(1000, {"a"}); });
  size_t read_in_the_pause = 0, statuses = 0;
  time_.After(absl::Minutes(10), [&] {
    read_in_the_pause = keys().size();
    statuses = source_.statuses.size();
    mailbox_.Post(engine::Command::kResume);
  });
  GiveAfter(absl::Minutes(11), engine::Command::kStop);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(read_in_the_pause, 0u);
  EXPECT_GE(statuses, 59u);
  EXPECT_THAT(keys(), ElementsAre(R"({"id":"a"})"));
}

TEST_F(StreamPhaseTest, ErrorsOfTheSourceEndIt) {
  SendTransaction(1000, {"a"});
  time_.After(absl::Seconds(1), [this] { source_.Break(absl::UnavailableError("lost")); });
  EXPECT_EQ(Run().message(), "lost");
  EXPECT_EQ(keys().size(), 1u);
}

TEST_F(StreamPhaseTest, ErrorsOfTheSinkEndIt) {
  time_.After(absl::Seconds(1), [this] { sink_.Break(absl::DataLossError("refused")); });
  EXPECT_EQ(Run().message(), "refused");
}

}  // namespace
}  // namespace walduct::slot
