#include "slot/duties/housekeeping.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/slot/duties_fixture.h"

namespace walduct::slot {
namespace {

class HousekeepingTest : public DutiesFixture {
 protected:
  HousekeepingTest() : DutiesFixture(2) {
    sink_.by_hand = true;
    housekeeping().AttachStream(&source_, absl::Seconds(5));
  }
  // Turns and waits for so long.
  void Live(absl::Duration duration) {
    const absl::Duration end = time_.Monotonic() + duration;
    while (time_.Monotonic() < end) {
      ASSERT_TRUE(housekeeping().Turn().ok());
      housekeeping().Wait(-1, end - time_.Monotonic());
    }
    ASSERT_TRUE(housekeeping().Turn().ok());
  }
  void FailSaves() {
    store_.plan = [] {
      test::FakeOffsetStore::Save failing;
      failing.answer = absl::UnavailableError("away");
      failing.lands = false;
      return failing;
    };
  }
  Lsn confirmed() const {
    return source_.statuses.empty() ? Lsn() : source_.statuses.back().flushed;
  }
};

TEST_F(HousekeepingTest, AttachedItReportsAtOnceAndThenEachInterval) {
  Live(absl::Seconds(14));
  ASSERT_EQ(source_.statuses.size(), 3u);
  EXPECT_EQ(source_.statuses[1].at - source_.statuses[0].at, absl::Seconds(5));
}

// A connector that has failed, say: it comes again, and until then nothing is on its way.
TEST_F(HousekeepingTest, NothingIsInFlightWhenASessionHasEnded) {
  {
    delivery::DeliveryMeter meter(
        {.clock = &time_, .sink = &sink_, .tracker = &duties_.tracker(), .metrics = &metrics_});
    WriteRecord(100);
    meter.Turn({});
    EXPECT_EQ(metrics_.in_flight_records.value(), 1u);
  }
  EXPECT_EQ(metrics_.in_flight_records.value(), 0u);
  EXPECT_EQ(metrics_.in_flight_bytes.value(), 0u);
}

TEST_F(HousekeepingTest, AServerThatIsSilentIsAsked) {
  housekeeping().AttachStream(&source_, absl::Seconds(60), nullptr);
  const size_t before = source_.statuses.size();
  Live(absl::Seconds(4));
  EXPECT_LE(source_.statuses.size(), before + 1) << "its own word at the beginning";
  const size_t told = source_.statuses.size();
  Live(absl::Seconds(2));
  ASSERT_EQ(source_.statuses.size(), told + 1);
  Live(absl::Seconds(3));
  EXPECT_EQ(source_.statuses.size(), told + 1) << "not at once again";
  Live(absl::Seconds(3));
  EXPECT_EQ(source_.statuses.size(), told + 2);
  housekeeping().OnReceived(Lsn(300));
  Live(absl::Seconds(4));
  EXPECT_EQ(source_.statuses.size(), told + 2) << "it has said something";
}

// The answers of a server that is well lie unread while the sink is away.
TEST_F(HousekeepingTest, AServerIsNotSilentWhileTheSinkHasNoRoom) {
  StallWatch watch({.patience = absl::Seconds(10),
                    .clock = &time_,
                    .board = &board_,
                    .metrics = &metrics_,
                    .sink = &sink_,
                    .tracker = &duties_.tracker(),
                    .checkpointer = &duties_.checkpointer(),
                    .server = nullptr});
  housekeeping().SetWatches(&watch, nullptr);
  housekeeping().AttachStream(&source_, absl::Seconds(60), nullptr);
  const auto live_unread = [this](absl::Duration duration) {
    const absl::Duration end = time_.Monotonic() + duration;
    while (time_.Monotonic() < end) {
      EXPECT_FALSE(housekeeping().MayRead());
      housekeeping().WaitToRead();
      ASSERT_TRUE(housekeeping().Turn().ok());
    }
  };
  Live(absl::Seconds(4));
  WriteRecord(100);
  WriteRecord(200);
  live_unread(absl::Seconds(8));
  EXPECT_FALSE(board_.Read().stall) << "since the records wait";
  live_unread(absl::Seconds(6));
  ASSERT_TRUE(board_.Read().stall);
  EXPECT_EQ(board_.Read().stall->kind, "sink");
  housekeeping().SetWatches(nullptr, nullptr);
}

// As commits of transactions are, between which a server is listened to that has nothing to say.
TEST_F(HousekeepingTest, ASilentServerIsToldOfThoughNothingIsReadNowAndThen) {
  StallWatch watch({.patience = absl::Seconds(10),
                    .clock = &time_,
                    .board = &board_,
                    .metrics = &metrics_,
                    .sink = &sink_,
                    .tracker = &duties_.tracker(),
                    .checkpointer = &duties_.checkpointer(),
                    .server = nullptr});
  housekeeping().SetWatches(&watch, nullptr);
  housekeeping().AttachStream(&source_, absl::Seconds(60), nullptr);
  for (int i = 0; i < 10; ++i) {
    Live(absl::Seconds(2));
    housekeeping().WaitUnread(-1, absl::Milliseconds(100));
  }
  ASSERT_TRUE(board_.Read().stall);
  EXPECT_EQ(board_.Read().stall->kind, "database");
  housekeeping().SetWatches(nullptr, nullptr);
}

TEST_F(HousekeepingTest, ASlotThatSomebodyElseMovesIsToldOfWhatIsReceivedOnly) {
  housekeeping().AttachStream(&source_, absl::Seconds(5), nullptr, /*confirms=*/false);
  WriteRecord(100);
  sink_.AcknowledgeAll();
  housekeeping().OnReceived(Lsn(300));
  Live(absl::Seconds(30));
  EXPECT_EQ(stored(), Lsn(100));
  EXPECT_EQ(confirmed(), Lsn());
  EXPECT_EQ(source_.statuses.back().received, Lsn(300));
}

TEST_F(HousekeepingTest, OnlyWhatIsAcknowledgedIsStoredAndOnlyWhatIsStoredIsConfirmed) {
  housekeeping().OnReceived(Lsn(300));
  WriteRecord(100);
  Live(absl::Seconds(30));
  EXPECT_EQ(stored(), Lsn());
  EXPECT_EQ(confirmed(), Lsn());
  store_.plan = [] {
    test::FakeOffsetStore::Save slow;
    slow.after = absl::Seconds(3);
    return slow;
  };
  sink_.AcknowledgeAll();
  Live(absl::Seconds(15));
  EXPECT_EQ(store_.started, 1);
  EXPECT_EQ(stored(), Lsn(100));
  EXPECT_EQ(confirmed(), Lsn(100));
  EXPECT_EQ(source_.statuses.back().received, Lsn(300));
}

TEST_F(HousekeepingTest, AnErrorIsSolvedOnceTheStreamHasPassedIt) {
  const auto solved = [this] { return board_.Read().last_error->solved_at.has_value(); };
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "connection_lost", "gone"), Lsn(300));
  Live(absl::Seconds(3));
  EXPECT_FALSE(solved()) << "the stream has not come as far";
  housekeeping().OnReceived(Lsn(310));
  WriteRecord(305);
  Live(absl::Seconds(3));
  EXPECT_FALSE(solved()) << "what it has brought is not delivered";
  sink_.AcknowledgeAll();
  Live(absl::Seconds(3));
  EXPECT_TRUE(solved());
}

TEST_F(HousekeepingTest, AnErrorBeforeAnyStreamIsSolvedWhenThereIsOne) {
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "connection_refused", "away"));
  Live(absl::Seconds(1));
  EXPECT_TRUE(board_.Read().last_error->solved_at);
}

// Until then a snapshot's rows tell, but not of a row that could not be published.
TEST_F(HousekeepingTest, AnErrorIsSolvedWhileASnapshotGoesOn) {
  housekeeping().DetachStream();
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "connection_lost", "gone"));
  Live(absl::Seconds(1));
  EXPECT_FALSE(board_.Read().last_error->solved_at);
  WriteRecord(100);
  sink_.AcknowledgeAll();
  Live(absl::Seconds(1));
  EXPECT_TRUE(board_.Read().last_error->solved_at);
}

// All is delivered and the stream stands still, which is no answer of the store.
TEST_F(HousekeepingTest, AStoreThatDoesNotAnswerIsAnErrorUntilItDoes) {
  store_.plan = [] {
    test::FakeOffsetStore::Save silent;
    silent.after = absl::Seconds(100);
    return silent;
  };
  housekeeping().OnReceived(Lsn(100));
  WriteRecord(100);
  sink_.AcknowledgeAll();
  Live(absl::Seconds(60));
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "offset_store_slow", "no answer"));
  Live(absl::Seconds(5));
  EXPECT_FALSE(board_.Read().last_error->solved_at);
  Live(absl::Seconds(60));
  EXPECT_EQ(stored(), Lsn(100));
  EXPECT_TRUE(board_.Read().last_error->solved_at);
}

// The session that follows begins with the position that the process knows.
TEST_F(HousekeepingTest, AStoreThatIsGoneIsSolvedByAPositionThatIsStored) {
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "offset_topic_gone", "gone"), Lsn(50));
  housekeeping().OnReceived(Lsn(100));
  Live(absl::Seconds(30));
  EXPECT_FALSE(board_.Read().last_error->solved_at) << "nothing was to be stored";
  WriteRecord(100);
  sink_.AcknowledgeAll();
  Live(absl::Seconds(30));
  EXPECT_EQ(stored(), Lsn(100));
  EXPECT_TRUE(board_.Read().last_error->solved_at);
}

// On an idle database the session that follows has nothing to store.
TEST_F(HousekeepingTest, AStoreThatIsGoneIsSolvedByAPositionOfTheNextStartToo) {
  board_.ShowError(Error(absl::StatusCode::kUnavailable, "offset_topic_gone", "gone"), Lsn(50));
  board_.OnStored();
  Live(absl::Seconds(2));
  EXPECT_FALSE(board_.Read().last_error->solved_at) << "the stream has not come as far";
  housekeeping().OnReceived(Lsn(100));
  Live(absl::Seconds(2));
  EXPECT_TRUE(board_.Read().last_error->solved_at);
}

TEST_F(HousekeepingTest, AFailedSaveIsTriedAgainAndNotConfirmed) {
  FailSaves();
  WriteRecord(100);
  sink_.AcknowledgeAll();
  Live(absl::Seconds(15));
  EXPECT_GT(store_.started, 2);
  EXPECT_EQ(confirmed(), Lsn());
  store_.plan = [] { return test::FakeOffsetStore::Save(); };
  Live(absl::Seconds(2));
  EXPECT_EQ(confirmed(), Lsn(100));
}

TEST_F(HousekeepingTest, AServerThatAsksIsAnsweredAtOnce) {
  Live(absl::Seconds(1));
  const size_t before = source_.statuses.size();
  housekeeping().ReplySoon();
  ASSERT_TRUE(housekeeping().Turn().ok());
  EXPECT_EQ(source_.statuses.size(), before + 1);
  housekeeping().AskForReply();
  ASSERT_TRUE(housekeeping().Turn().ok());
  EXPECT_TRUE(source_.statuses.back().reply_requested);
}

TEST_F(HousekeepingTest, DutiesGoOnWhileTheSinkIsFull) {
  WriteRecord(100);
  WriteRecord(200);
  const absl::Duration begin = time_.Monotonic();
  while (time_.Monotonic() < begin + absl::Seconds(12))
    ASSERT_TRUE(housekeeping().WaitForRoom().ok());
  EXPECT_GE(source_.statuses.size(), 3u);
  EXPECT_EQ(board_.Read().wait, engine::WaitReason::kRoom);
}

TEST_F(HousekeepingTest, AStreamThatEndsWhileTheSinkIsFullEndsTheSession) {
  source_.ended = true;
  WriteRecord(100);
  EXPECT_TRUE(housekeeping().Turn().ok()) << "reading finds it";
  WriteRecord(200);
  EXPECT_EQ(ErrorReason(housekeeping().WaitForRoom()), "stream_ended");
}

// The catalog may be waited for as long as somebody holds a lock.
TEST_F(HousekeepingTest, AStreamThatEndsWhileItWaitsForSomethingElseEndsTheSession) {
  source_.ended = true;
  housekeeping().Wait(-1, absl::Milliseconds(1));
  EXPECT_TRUE(housekeeping().Turn().ok()) << "reading finds it";
  housekeeping().WaitUnread(-1, absl::Milliseconds(1));
  EXPECT_EQ(ErrorReason(housekeeping().Turn()), "stream_ended");
}

TEST_F(HousekeepingTest, AnInterruptionEndsTheWaitForRoom) {
  WriteRecord(100);
  WriteRecord(200);
  GiveAfter(absl::Seconds(3), engine::Command::kStop);
  const absl::Duration begin = time_.Monotonic();
  absl::Status waited;
  while (waited.ok() && time_.Monotonic() < begin + absl::Minutes(1))
    waited = housekeeping().WaitForRoom();
  EXPECT_TRUE(absl::IsCancelled(waited));
  EXPECT_EQ(time_.Monotonic() - begin, absl::Seconds(3));
}

TEST_F(HousekeepingTest, NothingIsReadIntoAFullSinkNorWhileAPauseIsHeld) {
  EXPECT_TRUE(housekeeping().MayRead());
  WriteRecord(100);
  WriteRecord(200);
  EXPECT_FALSE(housekeeping().MayRead());
  EXPECT_EQ(board_.Read().wait, engine::WaitReason::kRoom);
  sink_.AcknowledgeAll();
  ASSERT_TRUE(housekeeping().Turn().ok());
  EXPECT_TRUE(housekeeping().MayRead());
  EXPECT_EQ(board_.Read().wait, engine::WaitReason::kNothing);
  control_.HoldPauses(true);
  Give(engine::Command::kPause);
  EXPECT_FALSE(housekeeping().MayRead());
  EXPECT_EQ(board_.Read().wait, engine::WaitReason::kCommand);
}

TEST_F(HousekeepingTest, SettlingStoresAndConfirmsWhatWasAcknowledgedEvenWhenNotAllWas) {
  WriteRecord(100);
  WriteRecord(200);
  sink_.Acknowledge(0);
  const absl::Duration begin = time_.Monotonic();
  EXPECT_TRUE(absl::IsDeadlineExceeded(housekeeping().Settle(absl::Seconds(8))));
  EXPECT_LE(time_.Monotonic() - begin, absl::Seconds(9));
  // A group of records is acknowledged as a whole.
  EXPECT_EQ(confirmed(), stored());
}

// A record that was refused is what people have to know, not that the rest was not in time.
TEST_F(HousekeepingTest, SettlingSaysWhatTheSinkHasEndedWith) {
  WriteRecord(100);
  WriteRecord(200);
  sink_.ends_late = true;
  time_.After(absl::Seconds(1), [this] {
    sink_.Break(Error(absl::StatusCode::kInvalidArgument, "record_refused", "record of t"));
  });
  const absl::Duration begin = time_.Monotonic();
  EXPECT_EQ(ErrorReason(housekeeping().Settle(absl::Seconds(8))), "record_refused");
  EXPECT_GE(time_.Monotonic() - begin, absl::Seconds(2)) << "the rest is waited for";
}

TEST_F(HousekeepingTest, SettlingNeedsNoCheckpointToBeDue) {
  WriteRecord(100);
  time_.After(absl::Seconds(1), [this] { sink_.AcknowledgeAll(); });
  EXPECT_TRUE(housekeeping().Settle(absl::Seconds(8)).ok());
  EXPECT_EQ(stored(), Lsn(100));
  EXPECT_EQ(confirmed(), Lsn(100));
}

TEST_F(HousekeepingTest, SettlingSaysWhyThePositionCouldNotBeStored) {
  FailSaves();
  sink_.by_hand = false;
  WriteRecord(100);
  EXPECT_EQ(housekeeping().Settle(absl::Seconds(8)).message(), "away");
}

TEST_F(HousekeepingTest, DrainingWaitsAsLongAsItTakes) {
  WriteRecord(100);
  time_.After(absl::Minutes(30), [this] { sink_.AcknowledgeAll(); });
  EXPECT_TRUE(housekeeping().Drain(absl::Seconds(8)).ok());
  EXPECT_EQ(stored(), Lsn(100));
}

TEST_F(HousekeepingTest, AnInterruptionCutsDrainingShort) {
  WriteRecord(100);
  GiveAfter(absl::Seconds(1), engine::Command::kStop);
  const absl::Duration begin = time_.Monotonic();
  EXPECT_TRUE(absl::IsDeadlineExceeded(housekeeping().Drain(absl::Seconds(8))));
  EXPECT_LT(time_.Monotonic() - begin, absl::Seconds(11));
}

TEST_F(HousekeepingTest, WhatTheSinkCannotDeliverEndsTheTurn) {
  sink_.Break(absl::DataLossError("refused"));
  EXPECT_TRUE(absl::IsDataLoss(housekeeping().Turn()));
}

}  // namespace
}  // namespace walduct::slot
