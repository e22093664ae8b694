// The definition of lag: for every kind of wait it grows by a second a second, it is never said to
// be less than it is, and it is gone when the wait is over.
#include "metrics/lag_board.h"

#include <gtest/gtest.h>

namespace walduct::metrics {
namespace {

const absl::Time kBegin = absl::FromUnixSeconds(1'800'000'000);

// A connector that begins anew in the process has another board.
TEST(LagMemory, AnotherBoardGoesOnCounting) {
  LagBoard::Look look;
  look.at = kBegin;
  look.wal_end = Lsn(1000);
  look.next_xid = 7;
  LagBoard before;
  before.Begin(Lsn(1000), absl::ToUnixMicros(kBegin - absl::Minutes(1)));
  before.OnLook(look);
  look.at += absl::Seconds(10);
  look.wal_end = Lsn(2000);
  ++look.next_xid;
  before.OnLook(look);
  before.End();
  const absl::Time now = kBegin + absl::Seconds(70);
  ASSERT_EQ(before.Read(now), absl::Seconds(70));

  LagBoard rests;
  rests.Recall(before.Remember());
  EXPECT_EQ(rests.Read(now), absl::Seconds(70)) << "before anybody has looked";
  look.at = now;
  look.wal_end = Lsn(3000);
  rests.OnLook(look);
  EXPECT_EQ(rests.Read(now), absl::Seconds(70));

  LagBoard goes_on;
  goes_on.Recall(rests.Remember());
  goes_on.Begin(Lsn(1000), absl::ToUnixMicros(kBegin - absl::Minutes(1)));
  EXPECT_EQ(goes_on.Read(now), absl::Seconds(70));
  goes_on.Show({.covered = Lsn(3000), .complete_us = absl::ToUnixMicros(now), .heard = true}, now);
  EXPECT_EQ(goes_on.Read(now), absl::ZeroDuration()) << "all is acknowledged";
}

// What was in flight when it ended is not acknowledged.
TEST(LagMemory, WhatWasInFlightCountsFromItsCommit) {
  const absl::Time since = kBegin - absl::Seconds(58);
  LagBoard before;
  before.Begin(Lsn(1000), 0);
  before.Show({.oldest_us = absl::ToUnixMicros(since), .covered = Lsn(1000)}, kBegin);
  before.End();
  LagBoard after;
  after.Recall(before.Remember());
  EXPECT_EQ(after.Read(kBegin), absl::Seconds(58));
}

TEST(LagMemory, WhoKnowsMoreRecallsNothing) {
  LagBoard before, after;
  before.Begin(Lsn(1000), 0);
  before.Show({.oldest_us = absl::ToUnixMicros(kBegin), .covered = Lsn(1000)}, kBegin);
  after.Begin(Lsn(2000), 0);
  after.Recall(before.Remember());
  EXPECT_EQ(after.Remember().covered, Lsn(2000));
  EXPECT_EQ(after.Remember().oldest_us, 0);
}

LagBoard::Memory HeldSinceLongAgo() {
  LagBoard::Memory memory;
  memory.oldest_us = memory.complete_us = absl::ToUnixMicros(kBegin - absl::Seconds(58));
  memory.snapshot_us = absl::ToUnixMicros(kBegin - absl::Seconds(70));
  memory.covered = Lsn(1000);
  return memory;
}

// `offsets set` and `reset` of a connector that is stopped: another board recalls what it was.
TEST(LagMemory, WhatIsMovedOnByHandHoldsNothing) {
  LagBoard moved, stays, erased;
  for (LagBoard* const one : {&moved, &stays, &erased}) {
    one->Recall(HeldSinceLongAgo());
    EXPECT_EQ(one->Read(kBegin), absl::Seconds(70));
  }
  stays.OnStored(Lsn(1000));
  EXPECT_EQ(stays.Read(kBegin), absl::Seconds(70)) << "it is where it was";
  moved.OnStored(Lsn(2000));
  EXPECT_EQ(moved.Remember().oldest_us, 0);
  EXPECT_EQ(moved.Remember().snapshot_us, 0);
  EXPECT_EQ(moved.Remember().covered, Lsn(2000));
  moved.OnLook({.at = kBegin, .wal_end = Lsn(2000), .next_xid = 7, .confirmed = Lsn(2000)});
  EXPECT_EQ(moved.Read(kBegin), absl::ZeroDuration());
  erased.OnStored(std::nullopt);
  EXPECT_FALSE(erased.Read(kBegin)) << "nobody has looked yet";
}

TEST(LagMemory, WhereThereIsNoSlotNothingIsHeld) {
  LagBoard board;
  board.Recall(HeldSinceLongAgo());
  board.Forget();
  EXPECT_FALSE(board.Read(kBegin));
  EXPECT_EQ(board.Remember().covered, Lsn());
  EXPECT_EQ(board.Remember().complete_us, 0);
}

// A server that writes, a slot that is read, looks every ten seconds.
class LagBoardTest : public testing::Test {
 protected:
  absl::Time now() const { return kBegin + passed_; }
  int64_t us(absl::Time time) const { return absl::ToUnixMicros(time); }

  // A transaction is committed: WAL and its id.
  absl::Time Commit(uint64_t bytes = 200) {
    end_ += bytes;
    ++xid_;
    return now();
  }
  // What no transaction stands for.
  void WriteBeside(uint64_t bytes) { end_ += bytes; }

  void Look() {
    board_.OnLook({.at = now(),
                   .wal_end = Lsn(end_),
                   .next_xid = xid_,
                   .confirmed = Lsn(confirmed_),
                   .slot_xmin = slot_xmin_,
                   .partial = partial_});
  }
  // Received and acknowledged to the end.
  void Deliver(absl::Time commit) {
    covered_ = end_;
    LagBoard::Progress progress;
    progress.covered = Lsn(covered_);
    progress.complete_us = us(commit);
    progress.heard = true;
    Show(progress);
  }
  // Received and not acknowledged.
  void Hold(absl::Time commit) {
    LagBoard::Progress progress;
    progress.oldest_us = us(commit);
    progress.heard = true;
    Show(progress);
  }
  void Show(const LagBoard::Progress& progress) { board_.Show(progress, now()); }
  // With the looks that are due.
  void Pass(absl::Duration duration) {
    const absl::Duration until = passed_ + duration;
    while (passed_ < until) {
      passed_ += absl::Seconds(1);
      if (looks_ && passed_ >= next_look_) {
        Look();
        next_look_ = passed_ + absl::Seconds(10);
      }
    }
  }
  double Lag() const { return absl::ToDoubleSeconds(board_.Read(now()).value_or(absl::Hours(-1))); }

  // Of something that was committed `since`, and that is waited for by now. slack: how much older
  // it may be said to be.
  void ExpectGrowth(absl::Time since, absl::Duration slack) {
    double before = Lag();
    for (int i = 0; i < 60; ++i) {
      Pass(absl::Seconds(1));
      const double age = absl::ToDoubleSeconds(now() - since);
      EXPECT_GE(Lag(), age - 0.001) << "never less than it is";
      EXPECT_LE(Lag(), age + absl::ToDoubleSeconds(slack));
      EXPECT_NEAR(Lag() - before, 1, 0.001) << "by a second a second";
      before = Lag();
    }
  }

  LagBoard board_;
  uint64_t end_ = 1'000'000, covered_ = 0, confirmed_ = 1'000'000, xid_ = 700;
  uint32_t slot_xmin_ = 0;
  bool partial_ = false, looks_ = true;
  absl::Duration passed_, next_look_;
};

TEST_F(LagBoardTest, NobodyHasLookedYet) {
  EXPECT_FALSE(board_.Read(now())) << "and nobody is to";
  board_.Watch(now());
  EXPECT_FALSE(board_.Read(now() + absl::Seconds(29)));
  EXPECT_EQ(board_.Read(now() + absl::Seconds(40)), absl::Seconds(40)) << "unknown is not zero";
}

TEST_F(LagBoardTest, AnIdleDatabase) {
  Deliver(Commit());
  for (int i = 0; i < 600; ++i) {
    Pass(absl::Seconds(1));
    EXPECT_EQ(Lag(), 0);
    if (i % 15 == 0) WriteBeside(56);  // a list of the running transactions
    if (i == 300) WriteBeside(8192);   // a page with hint bits
  }
}

TEST_F(LagBoardTest, AFlowThatIsAcknowledgedWithinMoments) {
  for (int i = 0; i < 60; ++i) {
    const absl::Time commit = Commit();
    Hold(commit);
    passed_ += absl::Milliseconds(50);
    EXPECT_NEAR(Lag(), 0.05, 0.001);
    Deliver(commit);
    EXPECT_EQ(i < 1 ? 0 : Lag(), 0);
    Pass(absl::Seconds(1));
  }
}

// A lock, a broker, a registry, a reader that is slow, a transaction that is not committed to Kafka
// yet: it has been received.
TEST_F(LagBoardTest, WhatIsReceivedCountsFromItsCommit) {
  Deliver(Commit());
  Pass(absl::Minutes(30));
  const absl::Time commit = Commit();
  Pass(absl::Seconds(3));
  Hold(commit);
  ExpectGrowth(commit, absl::ZeroDuration());
  Deliver(commit);
  Pass(absl::Seconds(1));
  EXPECT_EQ(Lag(), 0);
}

// Something waits to be read after a long time without any: it is no older than the last look that
// found nothing.
TEST_F(LagBoardTest, WhatIsUnreadIsNotAsOldAsWhatWasReadLast) {
  const absl::Time commit = Commit();
  Deliver(commit);
  Pass(absl::Minutes(30));
  const absl::Time next = Commit();
  LagBoard::Progress progress;
  progress.unread_us = us(commit);
  Show(progress);
  EXPECT_LE(Lag(), 10);
  ExpectGrowth(next, absl::Seconds(10));
}

// The error that ends a session is unread, too.
TEST_F(LagBoardTest, WhatAnEndedSessionHadNotReadIsNothing) {
  const absl::Time commit = Commit();
  Deliver(commit);
  Pass(absl::Minutes(30));
  LagBoard::Progress progress;
  progress.unread_us = us(commit);
  Show(progress);
  board_.End();
  EXPECT_EQ(Lag(), 0);
  const absl::Time next = Commit();
  Pass(absl::Seconds(12));
  ExpectGrowth(next, absl::Seconds(10));
}

// The walsender stands still, or the network is far: only looks tell.
TEST_F(LagBoardTest, WhatIsNotSentCountsFromTheLookBefore) {
  Deliver(Commit());
  Pass(absl::Seconds(33));
  const absl::Time commit = Commit();
  Pass(absl::Seconds(12));
  ExpectGrowth(commit, absl::Seconds(10));
  Deliver(commit);
  EXPECT_EQ(Lag(), 0);
  Pass(absl::Seconds(30));
  EXPECT_EQ(Lag(), 0);
}

TEST_F(LagBoardTest, PausedWithNothingCommittedIsNotBehind) {
  Deliver(Commit());
  WriteBeside(56);
  for (int i = 0; i < 300; ++i) {
    Pass(absl::Seconds(1));
    if (i % 20 == 0) WriteBeside(114);
    EXPECT_EQ(Lag(), 0);
  }
  const absl::Time commit = Commit();
  Pass(absl::Seconds(12));
  ExpectGrowth(commit, absl::Seconds(10));
}

TEST_F(LagBoardTest, AProcessThatFindsABacklogCountsFromItsFirstLook) {
  board_.Watch(now());
  end_ += 5'000'000;
  xid_ += 30;
  slot_xmin_ = 700;
  const absl::Time began = now();
  Pass(absl::Seconds(3));
  ExpectGrowth(began + absl::Seconds(1), absl::Seconds(2));
}

TEST_F(LagBoardTest, AProcessThatFindsNothingWasNotBehind) {
  board_.Watch(now());
  slot_xmin_ = 700;  // as the next transaction has it
  end_ += 4096;
  Pass(absl::Minutes(2));
  EXPECT_EQ(Lag(), 0);
}

TEST_F(LagBoardTest, ASnapshotCountsFromItsBeginning) {
  Pass(absl::Seconds(5));
  board_.BeginSnapshot(now());
  const absl::Time began = now();
  ExpectGrowth(began, absl::ZeroDuration());
  board_.BeginSnapshot(now());
  EXPECT_GT(Lag(), 59) << "the attempt that goes on with it";
  board_.Begin(Lsn(end_), us(now()));
  EXPECT_LT(Lag(), 2);
}

// What a session held is read again by the next one; until it is there, its age is known.
TEST_F(LagBoardTest, AFailedSessionForgetsNothing) {
  Deliver(Commit());
  Pass(absl::Seconds(40));
  const absl::Time commit = Commit();
  Hold(commit);
  Pass(absl::Seconds(20));
  board_.Begin(Lsn(covered_), us(kBegin));
  ExpectGrowth(commit, absl::ZeroDuration());
  Deliver(commit);
  EXPECT_EQ(Lag(), 0);
}

TEST_F(LagBoardTest, AServerThatCannotBeLookedAt) {
  Deliver(Commit());
  Pass(absl::Seconds(11));
  looks_ = false;
  const absl::Time seen = now();
  Pass(absl::Seconds(25));
  EXPECT_EQ(Lag(), 0) << "a look or two fail";
  Pass(absl::Seconds(10));
  ExpectGrowth(seen, absl::Seconds(1));
  looks_ = true;
  Pass(absl::Seconds(11));
  EXPECT_EQ(Lag(), 0);
}

// Pages are written ahead of an open transaction: the server has sent all that it can, and writes
// the rest within moments. If it does not, a commit may be before it.
// A password that is refused, say: at once, and not when nobody has looked for long.
TEST_F(LagBoardTest, AServerThatIsNotReachedIsNotKnownToBeCaughtUp) {
  Deliver(Commit());
  Pass(absl::Seconds(10));
  EXPECT_EQ(board_.Read(now()), absl::ZeroDuration());
  looks_ = false;
  Pass(absl::Seconds(5));
  board_.OnUnreached(now());
  const auto lag = board_.Read(now());
  ASSERT_TRUE(lag.has_value());
  EXPECT_GE(*lag, absl::Seconds(4));
  Pass(absl::Seconds(3));
  EXPECT_EQ(*board_.Read(now()) - *lag, absl::Seconds(3)) << "a second a second";
  Look();
  EXPECT_EQ(board_.Read(now()), absl::ZeroDuration()) << "it is heard of again";
}

TEST_F(LagBoardTest, HalfARecordIsNothingForAWhile) {
  Deliver(Commit());
  Pass(absl::Seconds(11));
  const absl::Time commit = Commit();
  Deliver(commit);
  end_ = (end_ / 8192 + 1) * 8192;
  partial_ = true;
  Look();
  passed_ += absl::Milliseconds(10);
  LagBoard::Progress heard;
  heard.heard = true;
  Show(heard);
  passed_ += absl::Seconds(15);
  EXPECT_EQ(Lag(), 0);
  passed_ += absl::Seconds(8);
  EXPECT_GE(Lag(), 23) << "nor is it hidden for ever";
  WriteBeside(56);
  Deliver(commit);
  EXPECT_EQ(Lag(), 0) << "the record is whole";
}

TEST_F(LagBoardTest, ALargerRestIsNoHalfRecord) {
  Deliver(Commit());
  Pass(absl::Seconds(11));
  Commit(8192 * 9);
  end_ -= end_ % 8192;
  partial_ = true;
  Look();
  passed_ += absl::Milliseconds(10);
  LagBoard::Progress heard;
  heard.heard = true;
  Show(heard);
  passed_ += absl::Seconds(5);
  EXPECT_GT(Lag(), 4);
}

TEST_F(LagBoardTest, HalfARecordOfAServerThatSaysNothingCounts) {
  Deliver(Commit());
  Pass(absl::Seconds(11));
  Deliver(Commit());
  passed_ += absl::Milliseconds(10);
  end_ = (end_ / 8192 + 1) * 8192;
  partial_ = true;
  Look();
  passed_ += absl::Seconds(5);
  EXPECT_GT(Lag(), 4);
}

// The look finds its id ended, and its WAL not written.
TEST_F(LagBoardTest, AnAsynchronousCommitIsNotTakenForSent) {
  Deliver(Commit());
  Pass(absl::Seconds(11));
  const absl::Time commit = now();
  ++xid_;
  partial_ = true;
  Look();
  EXPECT_EQ(Lag(), 0);
  end_ += 200;
  partial_ = false;
  Pass(absl::Seconds(12));
  ExpectGrowth(commit, absl::Seconds(10));
  Deliver(commit);
  EXPECT_EQ(Lag(), 0);
}

// More is always on its way to the disk: each look is proved by the next one.
TEST_F(LagBoardTest, AServerThatAlwaysWritesIsNotBehindForLong) {
  partial_ = true;
  for (int i = 0; i < 300; ++i) {
    Deliver(Commit());
    Pass(absl::Seconds(1));
    EXPECT_EQ(Lag(), 0);
  }
  const absl::Time commit = Commit();
  Pass(absl::Seconds(12));
  ExpectGrowth(commit, absl::Seconds(20));
}

TEST_F(LagBoardTest, ADayOfLooksIsNotKept) {
  Deliver(Commit());
  Pass(absl::Seconds(11));
  const absl::Time commit = Commit();
  for (int i = 0; i < 24 * 360; ++i) {
    Pass(absl::Seconds(10));
    Commit();
  }
  EXPECT_NEAR(Lag(), absl::ToDoubleSeconds(now() - commit), 11);
  Deliver(now());
  EXPECT_EQ(Lag(), 0);
}

// The stream has passed the change, whose transaction is open; its commit alone is left.
TEST_F(LagBoardTest, ACommitAloneIsNotMissed) {
  board_.Streams(true);
  Deliver(Commit());
  Pass(absl::Seconds(11));
  EXPECT_EQ(Lag(), 0);
  const absl::Time since = Commit(40);
  Pass(absl::Seconds(14));
  EXPECT_TRUE(board_.WantsWord());
  ExpectGrowth(since, absl::Seconds(11));
  Deliver(since);
  EXPECT_EQ(Lag(), 0);
}

TEST_F(LagBoardTest, AFewBytesThatTheServerAnswersForAreNone) {
  LagBoard::Progress word;
  word.heard = true;
  board_.Streams(true);
  Deliver(Commit());
  Pass(absl::Seconds(11));
  Deliver(Commit());
  WriteBeside(56);
  for (int i = 0; i < 20; ++i) {
    Pass(absl::Seconds(1));
    if (board_.WantsWord()) Show(word);
    EXPECT_EQ(Lag(), 0) << i;
  }
}

TEST_F(LagBoardTest, WhoDoesNotStreamGoesByTheBytes) {
  Deliver(Commit());
  Pass(absl::Seconds(11));
  Commit(40);
  Pass(absl::Seconds(30));
  EXPECT_FALSE(board_.WantsWord());
  EXPECT_EQ(Lag(), 0);
}

}  // namespace
}  // namespace walduct::metrics
