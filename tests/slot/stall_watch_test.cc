#include "slot/duties/stall_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/slot/duties_fixture.h"

namespace walduct::slot {
namespace {

using testing::HasSubstr;

class StallWatchTest : public DutiesFixture {
 protected:
  // Turns once a second.
  void Pass(absl::Duration duration, engine::WaitReason reads = engine::WaitReason::kNothing) {
    for (absl::Duration passed; passed < duration; passed += absl::Seconds(1)) {
      time_.Advance(absl::Seconds(1));
      watch_.Turn({.received = received_, .reads = reads});
    }
  }
  StallWatch::Parts parts() {
    return {.patience = absl::Seconds(15),
            .clock = &time_,
            .board = &board_,
            .metrics = &metrics_,
            .sink = &sink_,
            .tracker = &duties_.tracker(),
            .checkpointer = &duties_.checkpointer(),
            .server = [this] { return server_; }};
  }
  std::optional<engine::Stall> stall() { return board_.Read().stall; }

  Lsn received_{100};
  ServerView server_;
  StallWatch watch_{parts()};
};

TEST_F(StallWatchTest, NothingToDoIsNoStall) {
  Pass(absl::Minutes(10));
  EXPECT_FALSE(stall());
  EXPECT_EQ(metrics_.stalls.value(), 0u);
}

TEST_F(StallWatchTest, RecordsThatNobodyAcknowledges) {
  WriteRecord(200);
  server_.wal_end = Lsn(100);
  server_.retained_bytes = 5u << 20;
  server_.growth_per_second = 2048;
  Pass(absl::Seconds(14));
  EXPECT_FALSE(stall());
  Pass(absl::Seconds(3));
  ASSERT_TRUE(stall());
  EXPECT_THAT(stall()->cause, HasSubstr("the sink (1 records are not acknowledged)"));
  EXPECT_EQ(stall()->retained_bytes, 5u << 20);
  EXPECT_EQ(metrics_.stalled.value(), 1u);
  EXPECT_EQ(metrics_.retained_wal_bytes.value(), 5u << 20);
}

TEST_F(StallWatchTest, AServerThatDoesNotAnswer) {
  const absl::Duration since = time_.Monotonic();
  for (int second = 0; second < 14; ++second) {
    time_.Advance(absl::Seconds(1));
    watch_.Turn({.received = received_, .unanswered_since = since});
  }
  EXPECT_FALSE(stall());
  time_.Advance(absl::Seconds(2));
  watch_.Turn({.received = received_, .unanswered_since = since});
  ASSERT_TRUE(stall());
  EXPECT_THAT(stall()->cause, HasSubstr("PostgreSQL to answer"));
  EXPECT_EQ(stall()->kind, "database");
  EXPECT_THAT(stall()->hint, HasSubstr("pg_stat_activity"));
  time_.Advance(absl::Seconds(1));
  watch_.Turn({.received = received_});
  EXPECT_FALSE(stall());
}

TEST_F(StallWatchTest, AcknowledgementsAreProgress) {
  for (int i = 0; i < 10; ++i) {
    WriteRecord(200 + static_cast<uint64_t>(i));
    Pass(absl::Seconds(10));
    watch_.OnAcknowledged(1);
  }
  EXPECT_FALSE(stall());
}

// Those of a topic that works, while the change's stands still.
TEST_F(StallWatchTest, AcknowledgedHeartbeatsAreNoProgress) {
  WriteRecord(200);
  for (int second = 0; second < 20; ++second) {
    Pass(absl::Seconds(1));
    metrics_.records_written.Add();
    watch_.OnAcknowledged(1, /*beside=*/true);
  }
  ASSERT_TRUE(stall());
  EXPECT_EQ(stall()->kind, "sink");
}

TEST_F(StallWatchTest, OfHeartbeatsAloneTheyAreProgress) {
  duties_.tracker().SetBeside(true);
  WriteRecord(200);
  for (int second = 0; second < 20; ++second) {
    Pass(absl::Seconds(1));
    watch_.OnAcknowledged(1, /*beside=*/true);
  }
  EXPECT_FALSE(stall());
  Pass(absl::Seconds(20));
  EXPECT_TRUE(stall());
}

TEST_F(StallWatchTest, HeartbeatsThatAreWrittenAreNoReading) {
  for (const engine::WaitReason reads :
       {engine::WaitReason::kCatalog, engine::WaitReason::kNothing}) {
    if (reads == engine::WaitReason::kNothing) server_.wal_end = Lsn(64u << 20);
    for (int second = 0; second < 20; ++second) {
      Pass(absl::Seconds(1), reads);
      metrics_.records_written.Add();
      watch_.OnAcknowledged(1, /*beside=*/true);
    }
    EXPECT_TRUE(stall());
    received_ = std::max(received_, server_.wal_end);
    Pass(absl::Seconds(1));
    EXPECT_FALSE(stall());
  }
}

// Of a large transaction that is read from the spill file, nothing is received.
TEST_F(StallWatchTest, FramesAreReading) {
  server_.wal_end = Lsn(64u << 20);
  uint64_t frames = 0;
  for (int second = 0; second < 40; ++second) {
    time_.Advance(absl::Seconds(1));
    watch_.Turn({.received = received_, .frames = ++frames});
  }
  EXPECT_FALSE(stall());
}

// The stream waits for it, and the server has WAL.
TEST_F(StallWatchTest, RowsOfABlockingSnapshotAreReading) {
  server_.wal_end = Lsn(64u << 20);
  for (int second = 0; second < 40; ++second) {
    Pass(absl::Seconds(1));
    metrics_.snapshot_rows.Add(1);
  }
  EXPECT_FALSE(stall());
}

TEST_F(StallWatchTest, EndsWithProgress) {
  WriteRecord(200);
  Pass(absl::Seconds(20));
  ASSERT_TRUE(stall());
  watch_.OnAcknowledged(1);
  Pass(absl::Seconds(2));
  EXPECT_FALSE(stall());
  EXPECT_EQ(metrics_.stalled.value(), 0u);
  EXPECT_EQ(metrics_.stalls.value(), 1u);
}

// A stream that ends while it stands: the next one may run, and nobody else would take it back.
TEST_F(StallWatchTest, WhatItHasShownEndsWithIt) {
  WriteRecord(200);
  {
    StallWatch other{parts()};
    for (int second = 0; second < 17; ++second) {
      time_.Advance(absl::Seconds(1));
      other.Turn({.received = received_});
    }
    ASSERT_TRUE(stall());
    EXPECT_EQ(metrics_.stalled.value(), 1u);
  }
  EXPECT_FALSE(stall());
  EXPECT_EQ(metrics_.stalled.value(), 0u);
}

TEST_F(StallWatchTest, ALockIsNamed) {
  server_.lock = "a lock on table public.t, held up by pid 12";
  Pass(absl::Seconds(20), engine::WaitReason::kCatalog);
  ASSERT_TRUE(stall());
  EXPECT_EQ(stall()->cause, server_.lock);
  EXPECT_THAT(stall()->hint, HasSubstr("pg_terminate_backend(12)"));
}

// A look from beside may find it after the first line.
TEST_F(StallWatchTest, WhoHoldsALockIsSaidOnceItIsKnown) {
  Pass(absl::Seconds(18), engine::WaitReason::kCatalog);
  ASSERT_TRUE(stall());
  EXPECT_EQ(stall()->cause, "PostgreSQL to describe a table");
  server_.lock = "a lock on table public.t, held up by pid 12";
  Pass(absl::Seconds(1), engine::WaitReason::kCatalog);
  EXPECT_EQ(stall()->cause, server_.lock);
}

TEST_F(StallWatchTest, ATableThatASnapshotCannotReadIsNamed) {
  metrics::SnapshotTable first, second;
  first.schema = second.schema = "public";
  first.table = "a";
  second.table = "b";
  metrics_.snapshot.Begin({first, second}, time_.Monotonic());
  metrics_.snapshot.BeginTable(0, time_.Monotonic());
  metrics_.snapshot.EndTable(0, time_.Monotonic());
  metrics_.snapshot.BeginTable(1, time_.Monotonic());
  Pass(absl::Seconds(20), engine::WaitReason::kDatabase);
  ASSERT_TRUE(board_.Read().stall);
  EXPECT_EQ(board_.Read().stall->cause, "PostgreSQL to send the rows of table public.b");
  server_.lock = "a lock on table public.b, held up by pid 7";
  Pass(absl::Seconds(31), engine::WaitReason::kDatabase);
  EXPECT_EQ(board_.Read().stall->cause, server_.lock);
  metrics_.snapshot_rows.Add(1);
  Pass(absl::Seconds(2), engine::WaitReason::kDatabase);
  EXPECT_FALSE(board_.Read().stall);
}

TEST_F(StallWatchTest, ARowThatFindsNoRoomThoughNothingIsInFlight) {
  Pass(absl::Seconds(20), engine::WaitReason::kRoom);
  ASSERT_TRUE(stall());
  EXPECT_EQ(stall()->cause, "the sink");
}

TEST_F(StallWatchTest, AServerThatIsFarBehind) {
  server_.wal_end = Lsn(64u << 20);
  Pass(absl::Seconds(20));
  ASSERT_TRUE(stall());
  EXPECT_THAT(stall()->cause, HasSubstr("PostgreSQL to send the last 64.0 MB"));
}

TEST_F(StallWatchTest, WalThatWaitsForRoomIsNotTheServers) {
  server_.wal_end = Lsn(64u << 20);
  for (int second = 0; second < 20; ++second) {
    time_.Advance(absl::Seconds(1));
    watch_.Turn({.received = received_, .unread = true});
  }
  EXPECT_FALSE(stall());
}

TEST_F(StallWatchTest, ACauseThatIsFoundLaterTakesThePlaceOfTheFirst) {
  const absl::Duration since = time_.Monotonic();
  const auto pass = [&](int seconds) {
    for (int second = 0; second < seconds; ++second) {
      time_.Advance(absl::Seconds(1));
      watch_.Turn({.received = received_, .unanswered_since = since});
    }
  };
  pass(6);
  WriteRecord(200);
  pass(10);
  ASSERT_TRUE(stall());
  EXPECT_EQ(stall()->kind, "database");
  pass(7);
  EXPECT_EQ(stall()->kind, "sink") << "not only with the next line";
}

// With exactly once nothing is read meanwhile, so that WAL waits, too.
TEST_F(StallWatchTest, ACommitThatDoesNotEndIsNotTheServers) {
  test::FakeSink commits{&time_, &target_, {.capacity = 1000, .transactional = true}};
  StallWatch::Parts parts = this->parts();
  parts.sink = &commits;
  StallWatch watch{parts};
  const auto pass = [&](int seconds) {
    for (int second = 0; second < seconds; ++second) {
      time_.Advance(absl::Seconds(1));
      watch.Turn({.received = received_});
    }
  };
  server_.wal_end = Lsn(64u << 20);
  pass(10);
  store_.plan = [] {
    test::FakeOffsetStore::Save silent;
    silent.after = absl::Minutes(10);
    return silent;
  };
  delivery::Milestone position;
  position.commit_end = Lsn(100);
  duties_.checkpointer().MakeDue();
  ASSERT_TRUE(duties_.checkpointer().Turn(position).ok());
  ASSERT_TRUE(duties_.checkpointer().saving());
  pass(10);
  EXPECT_FALSE(stall()) << "it has been waited for since the commit began";
  pass(10);
  ASSERT_TRUE(stall());
  EXPECT_EQ(stall()->cause, "the offset store to answer");
}

}  // namespace
}  // namespace walduct::slot
