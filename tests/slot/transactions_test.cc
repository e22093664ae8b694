// The duties of a session whose sink has transactions: what is committed when, and what is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "delivery/settling/committing_store.h"
#include "tests/slot/duties_fixture.h"

namespace walduct::slot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr absl::Duration kTimeout = absl::Minutes(15);
constexpr char kOffset[] = "offset";  // key of the position's record

class TransactionsTest : public testing::Test {
 protected:
  TransactionsTest() {
    mailbox_.Post(engine::Command::kStart);
    control_.Take();
    EXPECT_TRUE(store_.Open().ok());
    board_.Show(engine::ConnectorState::kRunning, engine::Activity::kStreaming);
  }

  static event::Position At(uint64_t lsn, uint64_t ordinal = 0) {
    event::Position position;
    position.commit_end = Lsn(lsn);
    position.ordinal = ordinal;
    return position;
  }
  static event::Position SnapshotAt(uint64_t lsn, event::SnapshotPhase phase) {
    event::Position position = At(lsn);
    position.snapshot = phase;
    return position;
  }
  // A record, as the pipeline would write it.
  void Write(absl::string_view key) {
    event::Record record;
    record.topic = "t";
    record.key = key;
    const uint64_t ticket = duties_.tracker().NextTicket();
    ASSERT_TRUE(sink_.Write(record, ticket).ok());
    duties_.tracker().OnWritten();
  }
  void Write(absl::string_view key, const event::Position& position) {
    Write(key);
    duties_.tracker().Advance(position);
  }
  // The loop, for so long.
  absl::Status Run(absl::Duration time) {
    const absl::Duration end = time_.Monotonic() + time;
    while (time_.Monotonic() < end) {
      if (absl::Status turned = housekeeping().Turn(); !turned.ok()) return turned;
      housekeeping().Wait(-1, end - time_.Monotonic());
    }
    return housekeeping().Turn();
  }
  // What a reader of committed records sees.
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const test::KeptRecord& record : target_.records) keys.push_back(record.key.value_or(""));
    return keys;
  }
  Lsn stored() {
    const auto& stored = duties_.checkpointer().stored();
    return stored ? stored->commit_end : Lsn();
  }
  Housekeeping& housekeeping() { return duties_.housekeeping(); }

  test::SimulatedTime time_;
  test::FakeTarget target_;
  test::FakeSink sink_{
      &time_, &target_, {.capacity = 1000, .transactional = true, .transaction_timeout = kTimeout}};
  test::FakeDisk disk_;
  delivery::CommittingStore store_{std::make_unique<test::FakeOffsetStore>(&time_, &disk_), &sink_,
                                   &time_};
  test::FakeWalSource source_{&time_};
  engine::Mailbox mailbox_;
  engine::StatusBoard board_{"orders", time_};
  engine::Control control_{mailbox_, board_};
  metrics::ConnectorMetrics metrics_;
  Duties duties_{
      {.clock = &time_,
       .poller = &time_,
       .sink = &sink_,
       .store = &store_,
       .control = &control_,
       .board = &board_,
       .metrics = &metrics_},
      {.store = &store_, .clock = &time_, .interval = absl::Seconds(10), .commits = true},
      std::nullopt};
};

TEST_F(TransactionsTest, RecordsBecomeVisibleWithTheirPosition) {
  ASSERT_TRUE(Run(absl::Seconds(1)).ok());
  Write("a", At(10));
  Write("b", At(20));
  EXPECT_THAT(keys(), IsEmpty());
  ASSERT_TRUE(Run(absl::Milliseconds(1)).ok());
  EXPECT_THAT(keys(), ElementsAre("a", "b", kOffset));
  EXPECT_EQ(stored(), Lsn(20));
  EXPECT_TRUE(duties_.tracker().idle());
}

// It would be committed without a position that covers it, and come again after a crash.
TEST_F(TransactionsTest, NothingIsCommittedWhileARecordIsOnItsWayAlone) {
  Write("a", At(10));
  sink_.one_on_its_way = true;
  ASSERT_TRUE(Run(absl::Seconds(20)).ok());
  EXPECT_THAT(keys(), IsEmpty());
  sink_.one_on_its_way = false;
  Write("alone", At(20));
  ASSERT_TRUE(Run(absl::Seconds(1)).ok());
  EXPECT_THAT(keys(), ElementsAre("a", "alone", kOffset));
}

TEST_F(TransactionsTest, TheNextOneWaitsForTheInterval) {
  Write("a", At(10));
  ASSERT_TRUE(Run(absl::Milliseconds(1)).ok());
  Write("b", At(20));
  ASSERT_TRUE(Run(Checkpointer::kSoon / 2).ok());
  EXPECT_EQ(stored(), Lsn(10));
  ASSERT_TRUE(Run(Checkpointer::kSoon).ok());
  EXPECT_EQ(stored(), Lsn(20));
}

// No byte is written for nothing.
TEST_F(TransactionsTest, APositionWithoutRecordsWaitsForTheLongInterval) {
  duties_.tracker().Advance(At(10));
  ASSERT_TRUE(Run(absl::Seconds(9)).ok());
  EXPECT_THAT(keys(), IsEmpty());
  ASSERT_TRUE(Run(absl::Seconds(2)).ok());
  EXPECT_THAT(keys(), ElementsAre(kOffset));
  ASSERT_TRUE(Run(absl::Seconds(60)).ok());
  EXPECT_THAT(keys(), ElementsAre(kOffset));
}

TEST_F(TransactionsTest, ATransactionOfPostgresIsNotDivided) {
  Write("a", At(10, 1));
  ASSERT_TRUE(Run(absl::Seconds(5)).ok());
  EXPECT_FALSE(housekeeping().MustCommit());
  EXPECT_THAT(keys(), IsEmpty());
  Write("b", At(30));
  EXPECT_TRUE(housekeeping().MustCommit()) << "nothing more is to be read before";
  ASSERT_TRUE(Run(absl::Milliseconds(1)).ok());
  EXPECT_THAT(keys(), ElementsAre("a", "b", kOffset));
  EXPECT_FALSE(housekeeping().MustCommit());
}

TEST_F(TransactionsTest, ExceptOneThatIsTooLong) {
  Write("a", At(10, 1));
  ASSERT_TRUE(Run(delivery::CommitPoints::LongestOf(kTimeout) + absl::Seconds(1)).ok());
  EXPECT_THAT(keys(), ElementsAre("a", kOffset));
  EXPECT_EQ(duties_.checkpointer().stored()->ordinal, 1u);
  Write("b", At(10, 2));
  ASSERT_TRUE(Run(absl::Seconds(5)).ok());
  EXPECT_THAT(keys(), ElementsAre("a", kOffset)) << "its time begins anew";
}

TEST_F(TransactionsTest, TheTimeOfATransactionBoundsThat) {
  EXPECT_EQ(delivery::CommitPoints::LongestOf(absl::Minutes(15)), absl::Seconds(30));
  EXPECT_EQ(delivery::CommitPoints::LongestOf(absl::Seconds(10)), absl::Seconds(5));
}

// A change that has several records, or the announcement of a transaction.
TEST_F(TransactionsTest, NothingEndsInTheMiddleOfAChange) {
  Write("a", At(10));
  Write("b");
  ASSERT_TRUE(Run(absl::Minutes(2)).ok());
  EXPECT_THAT(keys(), IsEmpty());
  duties_.tracker().Advance(At(20));
  ASSERT_TRUE(Run(absl::Milliseconds(1)).ok());
  EXPECT_THAT(keys(), ElementsAre("a", "b", kOffset));
}

TEST_F(TransactionsTest, ARecordWithoutPositionIsCommittedToo) {
  Write("a", At(10));
  ASSERT_TRUE(Run(absl::Seconds(1)).ok());
  Write("heartbeat", At(10));
  ASSERT_TRUE(Run(absl::Seconds(1)).ok());
  EXPECT_THAT(keys(), ElementsAre("a", kOffset, "heartbeat", kOffset));
}

TEST_F(TransactionsTest, RowsOfASnapshotBecomeVisibleTogether) {
  for (int row = 0; row < 5; ++row) {
    Write("r", SnapshotAt(10, event::SnapshotPhase::kRunning));
    ASSERT_TRUE(Run(absl::Minutes(1)).ok());
  }
  EXPECT_THAT(keys(), IsEmpty());
  duties_.tracker().Advance(SnapshotAt(10, event::SnapshotPhase::kCompleted));
  ASSERT_TRUE(housekeeping().Drain(absl::Seconds(5)).ok());
  EXPECT_THAT(keys(), ElementsAre("r", "r", "r", "r", "r", kOffset));
  EXPECT_EQ(duties_.checkpointer().stored()->snapshot, event::SnapshotPhase::kCompleted);
}

TEST_F(TransactionsTest, ASnapshotThatWouldOutlastItsTransactionStops) {
  Write("r", SnapshotAt(10, event::SnapshotPhase::kRunning));
  const absl::Status status = Run(kTimeout);
  EXPECT_EQ(ErrorReason(status), "snapshot_too_long");
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(keys(), IsEmpty());
}

// I5, and nothing blocks.
TEST_F(TransactionsTest, DutiesGoOnDuringACommit) {
  housekeeping().AttachStream(&source_, absl::Seconds(1));
  sink_.hold_commits = true;
  Write("a", At(10));
  ASSERT_TRUE(Run(absl::Seconds(30)).ok());
  EXPECT_FALSE(sink_.HasCapacity());
  EXPECT_GE(source_.statuses.size(), 25u);
  for (const auto& status : source_.statuses) EXPECT_EQ(status.flushed, Lsn());
  sink_.hold_commits = false;
  ASSERT_TRUE(Run(absl::Seconds(1)).ok());
  EXPECT_EQ(source_.statuses.back().flushed, Lsn(10));
  housekeeping().DetachStream();
}

TEST_F(TransactionsTest, AFailedCommitEndsTheSession) {
  sink_.hold_commits = true;
  Write("a", At(10));
  ASSERT_TRUE(Run(absl::Milliseconds(10)).ok());
  sink_.Break(absl::UnavailableError("commit"));
  EXPECT_TRUE(absl::IsUnavailable(Run(absl::Seconds(1))));
  EXPECT_EQ(stored(), Lsn());
}

TEST_F(TransactionsTest, AnotherInstanceShutsThisOneOut) {
  Write("a", At(10));
  test::FakeSink other{&time_, &target_, {.capacity = 10, .transactional = true}};
  ASSERT_TRUE(other.transactions()->TakeOver().ok());
  EXPECT_EQ(ErrorReason(Run(absl::Seconds(1))), "fenced");
  EXPECT_THAT(keys(), IsEmpty());
}

TEST_F(TransactionsTest, AStopCommitsWhatIsComplete) {
  ASSERT_TRUE(Run(absl::Seconds(1)).ok());
  Write("a", At(10));
  Write("b", At(20));
  ASSERT_TRUE(housekeeping().Settle(absl::Seconds(5)).ok());
  EXPECT_THAT(keys(), ElementsAre("a", "b", kOffset));
  EXPECT_TRUE(duties_.tracker().idle());
}

TEST_F(TransactionsTest, AStopGivesUpWhatIsNot) {
  Write("a", At(10));
  Write("b", At(10, 1));
  const absl::Duration begin = time_.Monotonic();
  ASSERT_TRUE(housekeeping().Settle(absl::Seconds(5)).ok());
  EXPECT_LT(time_.Monotonic() - begin, absl::Seconds(5)) << "nothing to wait for";
  EXPECT_THAT(keys(), IsEmpty());
  EXPECT_FALSE(duties_.tracker().idle()) << "so that the rest is aborted";
}

}  // namespace
}  // namespace walduct::slot
