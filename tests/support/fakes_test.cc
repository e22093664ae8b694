// The fakes themselves: a test that trusts a fake should not have to wonder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_offset_store.h"
#include "tests/support/fake_sink.h"
#include "tests/support/fake_wal_source.h"

namespace walduct::test {
namespace {

using testing::ElementsAre;

TEST(SimulatedTime, PassesByWaitingOnly) {
  SimulatedTime time;
  const absl::Duration begin = time.Monotonic();
  const absl::Time wall = time.Now();
  time.WaitReadable({}, absl::Hours(3));
  EXPECT_EQ(time.Monotonic() - begin, absl::Hours(3));
  EXPECT_EQ(time.Now() - wall, absl::Hours(3));
  time.WaitReadable({}, -absl::Seconds(1));
  EXPECT_EQ(time.Monotonic() - begin, absl::Hours(3));
}

TEST(SimulatedTime, AWaitEndsAtWhatHappensFirst) {
  SimulatedTime time;
  std::vector<int> happened;
  time.After(absl::Seconds(2), [&] { happened.push_back(2); });
  time.After(absl::Seconds(1), [&] { happened.push_back(1); });
  const absl::Duration begin = time.Monotonic();
  time.WaitReadable({}, absl::Seconds(10));
  EXPECT_THAT(happened, ElementsAre(1));
  EXPECT_EQ(time.Monotonic() - begin, absl::Seconds(1));
  time.Advance(absl::Seconds(10));
  EXPECT_THAT(happened, ElementsAre(1, 2));
}

TEST(SimulatedTime, WhatIsReadableIsNotWaitedFor) {
  SimulatedTime time;
  const int fd = time.NewDescriptor();
  time.SetReadable(fd, true);
  const absl::Duration begin = time.Monotonic();
  time.WaitReadable({-1, fd}, absl::Hours(1));
  EXPECT_EQ(time.Monotonic(), begin);
  time.SetReadable(fd, false);
  time.WaitReadable({-1, fd}, absl::Hours(1));
  EXPECT_EQ(time.Monotonic(), begin + absl::Hours(1));
}

TEST(SimulatedTimeDeathTest, ABusyLoopIsFound) {
  SimulatedTime time;
  EXPECT_DEATH(
      {
        while (true) time.WaitReadable({}, absl::ZeroDuration());
      },
      "broken invariant");
}

TEST(FakeWalSource, GivesItsFramesThenItsError) {
  SimulatedTime time;
  FakeWalSource source(&time);
  EXPECT_EQ(source.Next()->kind, replication::WalFrame::Kind::kNone);
  source.SendMessage(Lsn(7), "abc");
  source.SendKeepalive(Lsn(9), true);
  source.Break(absl::UnavailableError("gone"));
  const auto message = source.Next();
  EXPECT_EQ(message->start, Lsn(7));
  EXPECT_EQ(message->payload, "abc");
  const auto keepalive = source.Next();
  EXPECT_EQ(keepalive->wal_end, Lsn(9));
  EXPECT_TRUE(keepalive->reply_requested);
  EXPECT_TRUE(absl::IsUnavailable(source.Next().status()));
}

TEST(FakeWalSource, RemembersWhatItWasTold) {
  SimulatedTime time;
  FakeWalSource source(&time);
  ASSERT_TRUE(source.SendStatus(Lsn(5), Lsn(3), true).ok());
  ASSERT_EQ(source.statuses.size(), 1u);
  EXPECT_EQ(source.statuses[0].flushed, Lsn(3));
}

class Acks final : public sink::AckHandler {
 public:
  void OnAcknowledged(sink::Ticket ticket, uint32_t /*count*/) override {
    tickets.push_back(ticket);
  }
  std::vector<sink::Ticket> tickets;
};

TEST(FakeSink, AcknowledgesByHandInAnyOrder) {
  SimulatedTime time;
  FakeTarget target;
  FakeSink sink(&time, &target, {.capacity = 2});
  sink.by_hand = true;
  const event::Record record{.topic = "t", .partition = {}, .key = {}, .value = {}, .headers = {}};
  ASSERT_TRUE(sink.Write(record, 1).ok());
  ASSERT_TRUE(sink.Write(record, 2).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(sink.Write(record, 3)));
  Acks acks;
  ASSERT_TRUE(sink.Poll(acks).ok());
  EXPECT_THAT(acks.tickets, ElementsAre());
  sink.Acknowledge(1);
  sink.Acknowledge(0);
  ASSERT_TRUE(sink.Poll(acks).ok());
  EXPECT_THAT(acks.tickets, ElementsAre(2, 1));
  EXPECT_EQ(target.records.size(), 2u);
}

TEST(FakeSink, IsBrokenForGood) {
  SimulatedTime time;
  FakeTarget target;
  FakeSink sink(&time, &target, {});
  sink.Break(absl::UnavailableError("no broker"));
  Acks acks;
  EXPECT_TRUE(absl::IsUnavailable(sink.Poll(acks)));
  EXPECT_TRUE(absl::IsUnavailable(sink.Flush(acks, absl::Seconds(1))));
}

class FakeOffsetStoreTest : public testing::Test {
 protected:
  static offset::StoredOffset At(uint64_t lsn) {
    offset::StoredOffset offset;
    offset.position.commit_end = Lsn(lsn);
    return offset;
  }
  // What another process finds.
  Lsn Found() {
    const auto loaded = FakeOffsetStore(&time_, &disk_).Load();
    return loaded.ok() && *loaded ? (*loaded)->position.commit_end : Lsn();
  }

  SimulatedTime time_;
  FakeDisk disk_;
  FakeOffsetStore store_{&time_, &disk_};
};

TEST_F(FakeOffsetStoreTest, ASaveIsDurableWithItsAnswer) {
  store_.plan = [] { return FakeOffsetStore::Save{.after = absl::Seconds(2), .answer = {}}; };
  ASSERT_TRUE(store_.StartSave(At(5)).ok());
  EXPECT_FALSE(store_.PollSave().has_value());
  EXPECT_EQ(Found(), Lsn());
  time_.WaitReadable({store_.ready_fd()}, absl::Minutes(1));
  EXPECT_EQ(*store_.PollSave(), absl::OkStatus());
  EXPECT_EQ(Found(), Lsn(5));
}

TEST_F(FakeOffsetStoreTest, AFailedSaveMayHaveLandedOrNot) {
  for (const bool lands : {false, true}) {
    store_.plan = [lands] {
      return FakeOffsetStore::Save{
          .after = {}, .answer = absl::UnavailableError("disk"), .lands = lands};
    };
    ASSERT_TRUE(store_.StartSave(At(6)).ok());
    EXPECT_FALSE(store_.PollSave()->ok());
    EXPECT_EQ(Found(), lands ? Lsn(6) : Lsn());
  }
}

TEST_F(FakeOffsetStoreTest, ASaveMayLandBeforeItsAnswer) {
  store_.plan = [] {
    return FakeOffsetStore::Save{.after = absl::Hours(1), .answer = {}, .lands_at_once = true};
  };
  ASSERT_TRUE(store_.StartSave(At(7)).ok());
  EXPECT_EQ(Found(), Lsn(7));
  EXPECT_FALSE(store_.PollSave().has_value());
}

}  // namespace
}  // namespace walduct::test
