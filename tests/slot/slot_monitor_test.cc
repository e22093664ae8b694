// One session for all slots of a server, as often as it is due, and never beside a look that a
// session has by itself.
#include "slot/attempts/slot_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "engine/errors/named_hint.h"
#include "tests/slot/slot_monitor_fixture.h"

namespace walduct::slot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class SlotMonitorTest : public SlotMonitorFixture {};

TEST_F(SlotMonitorTest, OneLookForAllSlotsOfAServerEachTenSeconds) {
  for (int i = 0; i < 200; ++i) Add("one", std::to_string(i));
  Add("two", "other");
  Pass(absl::Seconds(1));
  ASSERT_THAT(world_.asked, SizeIs(2));
  EXPECT_THAT(world_.asked[0], SizeIs(200));
  EXPECT_THAT(world_.asked[1], ElementsAre("other"));
  world_.asked.clear();
  Pass(absl::Seconds(100));
  EXPECT_THAT(world_.asked, SizeIs(20));
}

TEST_F(SlotMonitorTest, WhatAServerSaidThatIsNotReachedIsNotKnownToBeSo) {
  const auto slot = Add("one", "s"), streams = Add("one", "t");
  streams->now.activity = engine::Activity::kStreaming;
  Pass(absl::Seconds(1));
  EXPECT_EQ(slot->view()->StatusAt(time_.Monotonic()), "reserved");
  world_.away = true;
  Pass(absl::Seconds(10));
  EXPECT_EQ(slot->view()->StatusAt(time_.Monotonic()), "unknown");
  EXPECT_GT(*slot->metrics().lag.Read(time_.Now()), absl::Seconds(8));
  EXPECT_EQ(streams->view()->StatusAt(time_.Monotonic()), "reserved") << "it looks by itself";
  world_.away = false;
  Pass(absl::Seconds(10));
  EXPECT_EQ(slot->view()->StatusAt(time_.Monotonic()), "reserved");
}

TEST_F(SlotMonitorTest, WhyNobodyCanLookIsToldAndSinceWhen) {
  const auto slot = Add("one", "s"), streams = Add("one", "t"), retries = Add("one", "r");
  slot->now.state = engine::ConnectorState::kPaused;
  streams->now.activity = engine::Activity::kStreaming;
  retries->now.activity = engine::Activity::kRetrying;
  Pass(absl::Seconds(1));
  const auto trouble = [](MonitoredSlot& one, absl::string_view what) {
    for (const metrics::BesideTrouble& told : one.metrics().beside.Read())
      if (told.what == what && told.since) return std::optional(told);
    return std::optional<metrics::BesideTrouble>();
  };
  world_.away = true;
  Pass(absl::Seconds(10));
  EXPECT_FALSE(trouble(*slot, "slot_look")) << "once is nothing";
  const absl::Time first = time_.Now();
  Pass(absl::Seconds(12));
  ASSERT_TRUE(trouble(*slot, "slot_look"));
  EXPECT_EQ(trouble(*slot, "slot_look")->message, "away");
  EXPECT_EQ(trouble(*slot, "slot_look")->hint, "ALTER ROLE \"cdc\" LOGIN");
  EXPECT_LE(*trouble(*slot, "slot_look")->since, first);
  EXPECT_TRUE(slot->metrics().beside.cannot_look());
  EXPECT_FALSE(streams->metrics().beside.cannot_look()) << "it looks by itself";
  EXPECT_FALSE(retries->metrics().beside.cannot_look()) << "its error says the same";
  world_.away = false;
  Pass(absl::Seconds(12));
  EXPECT_FALSE(trouble(*slot, "slot_look"));
  // Sessions to look at the catalog are refused by this world.
  Pass(absl::Seconds(30));
  ASSERT_TRUE(trouble(*slot, "catalog_look"));
  EXPECT_EQ(trouble(*slot, "catalog_look")->message, "no session here");
}

// This world has no session for any of them: so many are tried at a time.
TEST_F(SlotMonitorTest, WhatIsCapturedOfThoseThatRestIsLookedAfter) {
  const auto streams = Add("one", "t");
  streams->now.activity = engine::Activity::kStreaming;
  Pass(absl::Seconds(60));
  EXPECT_EQ(world_.sessions, 0);
  const auto slot = Add("one", "s");
  slot->now.state = engine::ConnectorState::kPaused;
  Pass(absl::Seconds(30));
  EXPECT_GE(world_.sessions, 2);
  EXPECT_LE(world_.sessions, 4);
  for (int i = 0; i < 200; ++i) Add("one", std::to_string(i))->now = slot->now;
  Pass(absl::Seconds(20));
  const int before = world_.sessions;
  world_.looked_at.clear();
  Pass(absl::Seconds(101));
  EXPECT_LE(world_.sessions - before, 11 * 25);
  EXPECT_THAT(world_.looked_at, SizeIs(201)) << "nobody is passed over";
  world_.away = true;
  Pass(absl::Seconds(30));
  const int away = world_.sessions;
  Pass(absl::Seconds(60));
  EXPECT_EQ(world_.sessions, away) << "the looks at the slots find out when it is back";
}

TEST_F(SlotMonitorTest, ASlotThatWasMovedOnWhileItsConnectorRestsIsTold) {
  offset::StoredOffset stored;
  stored.position.commit_end = Lsn(100);
  world_.disk.content = offset::EncodeOffset(stored);
  const auto slot = Add("one", "s");
  slot->now.state = engine::ConnectorState::kPaused;
  Pass(absl::Seconds(60));
  EXPECT_EQ(world_.reads, 1) << "it is not read again without a reason";
  EXPECT_FALSE(slot->metrics().slot.position());
  world_.confirmed = 200;
  world_.kafka_away = true;
  Pass(absl::Seconds(20));
  EXPECT_FALSE(slot->metrics().slot.position()) << "somebody may have stored another position";
  world_.kafka_away = false;
  Pass(absl::Seconds(45));
  ASSERT_TRUE(slot->metrics().slot.position());
  EXPECT_EQ(slot->metrics().slot.position()->reason, "position_skipped");
  stored.position.commit_end = Lsn(200);
  world_.disk.content = offset::EncodeOffset(stored);
  Pass(absl::Seconds(45));
  EXPECT_FALSE(slot->metrics().slot.position()) << "it was mended by hand";
  world_.confirmed = 300;
  Pass(absl::Seconds(45));
  EXPECT_TRUE(slot->metrics().slot.position());
  slot->now.state = engine::ConnectorState::kRunning;
  slot->now.activity = engine::Activity::kStreaming;
  Pass(absl::Seconds(1));
  EXPECT_FALSE(slot->metrics().slot.position()) << "its start says what it makes of it";
}

// Another session has the slot and confirms what this connector has not read.
TEST_F(SlotMonitorTest, ASlotThatIsMovedOnWhileItsConnectorRetriesIsTold) {
  offset::StoredOffset stored;
  stored.position.commit_end = Lsn(100);
  world_.disk.content = offset::EncodeOffset(stored);
  const auto slot = Add("one", "s");
  const std::shared_ptr<KnownSlot> known = world_.known.Of("one/s");
  known->stored() = stored;
  known->RememberEnd();
  slot->now.state = engine::ConnectorState::kRunning;
  slot->now.activity = engine::Activity::kRetrying;
  slot->now.last_error = {
      .at = time_.Now(), .message = "in use", .reason = "slot_in_use", .hint = "", .change = ""};
  Pass(absl::Seconds(30));
  EXPECT_EQ(world_.reads, 0) << "without a reason";
  world_.confirmed = 200;
  // Attempts come and go.
  slot->now.activity_since = time_.Now() + absl::Seconds(11);
  Pass(absl::Seconds(13));
  ASSERT_TRUE(slot->metrics().slot.position());
  EXPECT_EQ(slot->metrics().slot.position()->reason, "position_skipped");
  EXPECT_THAT(
      slot->metrics().slot.position()->hint,
      testing::AllOf(testing::HasSubstr("end the session that reads the slot"),
                     testing::ContainsRegex("Then: (walduct stop .*|end this process), then: "),
                     testing::Not(testing::HasSubstr("which starts it again"))));
  slot->now.activity = engine::Activity::kConnecting;
  Pass(absl::Seconds(12));
  EXPECT_TRUE(slot->metrics().slot.position()) << "it tries again";
  slot->now.activity = engine::Activity::kStreaming;
  Pass(absl::Seconds(1));
  EXPECT_FALSE(slot->metrics().slot.position());
}

// Another walduct that stores positions where this one does: each look finds the slot farther on.
TEST_F(SlotMonitorTest, WhoReadsTheSlotWithTheSamePositionsSkipsNothing) {
  offset::StoredOffset stored;
  stored.position.commit_end = Lsn(100);
  const auto slot = Add("one", "s");
  const std::shared_ptr<KnownSlot> known = world_.known.Of("one/s");
  known->stored() = stored;
  known->RememberEnd();
  slot->now.state = engine::ConnectorState::kRunning;
  slot->now.activity = engine::Activity::kRetrying;
  slot->now.last_error = {
      .at = time_.Now(), .message = "in use", .reason = "slot_in_use", .hint = "", .change = ""};
  for (int i = 0; i < 120; ++i) {
    world_.confirmed += 10;
    stored.position.commit_end = Lsn(world_.confirmed);
    world_.disk.content = offset::EncodeOffset(stored);
    Pass(absl::Seconds(1));
    ASSERT_FALSE(slot->metrics().slot.position()) << i;
  }
  EXPECT_GE(world_.reads, 2);
  EXPECT_LE(world_.reads, 5);
}

TEST_F(SlotMonitorTest, ASlotThatWasMovedOnIsToldByOneLook) {
  offset::StoredOffset stored;
  stored.position.commit_end = Lsn(100);
  world_.disk.content = offset::EncodeOffset(stored);
  const auto slot = Add("one", "s");
  slot->now.state = engine::ConnectorState::kStopped;
  Pass(absl::Seconds(20));
  world_.confirmed = 200;
  Pass(absl::Seconds(12));
  EXPECT_TRUE(slot->metrics().slot.position());
}

// A configuration that is changed, a stop and a resume: another object runs it.
TEST_F(SlotMonitorTest, LagGoesOnWhereTheConnectorBeginsAnew) {
  auto slot = Add("one", "s");
  const absl::Time since = time_.Now() - absl::Seconds(58);
  slot->metrics().lag.Begin(Lsn(100), 0);
  slot->metrics().lag.Show({.oldest_us = absl::ToUnixMicros(since), .covered = Lsn(100)},
                           time_.Now());
  Pass(absl::Seconds(2));
  slots_.clear();
  slot.reset();
  slot = Add("one", "s");
  EXPECT_EQ(slot->metrics().lag.Read(time_.Now()), absl::Seconds(60));
  slots_.clear();
  slot.reset();
  EXPECT_NE(Add("other", "s")->metrics().lag.Read(time_.Now()), absl::Seconds(60));
  time_.Advance(absl::Minutes(2));
  EXPECT_NE(Add("one", "s")->metrics().lag.Read(time_.Now()), absl::Seconds(180))
      << "somebody else may have read meanwhile";
}

TEST_F(SlotMonitorTest, APositionThatIsGoneWhileItsConnectorRestsIsTold) {
  offset::StoredOffset stored;
  stored.position.commit_end = Lsn(100);
  const auto slot = Add("one", "s");
  slot->now.state = engine::ConnectorState::kStopped;
  Pass(absl::Seconds(90));
  EXPECT_FALSE(slot->metrics().slot.position()) << "there was none ever";
  world_.disk.content = offset::EncodeOffset(stored);
  Pass(absl::Seconds(90));
  EXPECT_FALSE(slot->metrics().slot.position());
  world_.disk.content.reset();
  Pass(absl::Seconds(90));
  ASSERT_TRUE(slot->metrics().slot.position());
  EXPECT_EQ(slot->metrics().slot.position()->reason, "offset_missing");
  EXPECT_THAT(slot->metrics().slot.position()->hint, testing::HasSubstr("offsets set"));
  world_.disk.content = offset::EncodeOffset(stored);
  Pass(absl::Seconds(45));
  EXPECT_FALSE(slot->metrics().slot.position()) << "it is stored again";
}

TEST(RestPosition, WhatThisProcessKnowsIsGoneOnFrom) {
  const absl::Status known = PositionGone(Lsn(0xAB), /*remembered=*/true);
  EXPECT_EQ(ErrorReason(known), "offset_missing");
  EXPECT_THAT(std::string(known.message()), testing::HasSubstr("it was 0/AB, which this process"));
  engine::ConnectorNames names;
  names.connector = "shop";
  names.called = {.who = "shop", .where = "http://w:1", .name = "shop"};
  names.called.rests = true;
  names.served = true;
  const std::string hint =
      engine::NamedHint("offset_missing", known.message(), ErrorHint(known), names);
  EXPECT_THAT(hint, testing::StartsWith("walduct resume shop --url http://w:1: it goes on"));
  EXPECT_THAT(hint, testing::HasSubstr("walduct offsets set shop 0/AB --url http://w:1"));
  EXPECT_EQ(ErrorHint(PositionGone(Lsn(0xAB), false)),
            "walduct offsets set NAME 0/AB stores it again");
}

TEST(KnownSlot, WhereAnAttemptHasEnded) {
  KnownSlot known;
  known.RememberEnd();
  EXPECT_FALSE(known.ended_at());
  known.stored().emplace().position.commit_end = Lsn(7);
  EXPECT_FALSE(known.ended_at()) << "it goes on";
  known.RememberEnd();
  EXPECT_EQ(known.ended_at(), Lsn(7));
  known.stored().reset();
  known.RememberEnd();
  EXPECT_FALSE(known.ended_at());
}

// A start that fails at once lies between two looks: what was in doubt before it is looked at anew.
TEST_F(SlotMonitorTest, WhoRestsAgainWithoutHavingBeenSeenToRunIsAskedAnew) {
  offset::StoredOffset stored;
  stored.position.commit_end = Lsn(100);
  world_.disk.content = offset::EncodeOffset(stored);
  const auto slot = Add("one", "s");
  slot->now.state = engine::ConnectorState::kPaused;
  Pass(absl::Seconds(20));
  world_.confirmed = 200;
  Pass(absl::Seconds(60));
  ASSERT_TRUE(slot->metrics().slot.position());
  const int reads = world_.reads;
  slot->now.state = engine::ConnectorState::kFailed;
  slot->now.activity_since = time_.Now();
  Pass(absl::Seconds(60));
  EXPECT_GT(world_.reads, reads);
  EXPECT_TRUE(slot->metrics().slot.position());
}

TEST_F(SlotMonitorTest, PositionsOfManyAreReadOneAfterTheOther) {
  for (int i = 0; i < 200; ++i)
    Add("one", std::to_string(i))->now.state = engine::ConnectorState::kStopped;
  Pass(absl::Seconds(60));
  EXPECT_LE(world_.reads, 11);
  EXPECT_GE(world_.reads, 9);
}

TEST_F(SlotMonitorTest, WhoStreamsLooksByItself) {
  const auto slot = Add("one", "s");
  slot->now.activity = engine::Activity::kStreaming;
  for (int i = 0; i < 10; ++i) {
    Pass(absl::Seconds(9));
    slot->Looked(time_.Monotonic());
  }
  EXPECT_THAT(world_.asked, IsEmpty());
  Pass(absl::Seconds(16));
  EXPECT_THAT(world_.asked, SizeIs(1)) << "its session does not get to it";
}

TEST_F(SlotMonitorTest, ThatASessionHasEndedIsLookedAtSoon) {
  const auto slot = Add("one", "s");
  slot->now.activity = engine::Activity::kStreaming;
  slot->Looked(time_.Monotonic());
  Pass(absl::Seconds(5));
  slot->now.activity = engine::Activity::kNone;
  slot->now.activity_since = time_.Now();
  Pass(absl::Seconds(1));
  EXPECT_THAT(world_.asked, SizeIs(1));
  Pass(absl::Seconds(8));
  EXPECT_THAT(world_.asked, SizeIs(1));
}

TEST_F(SlotMonitorTest, ADoubtIsLookedAtSoon) {
  const auto slot = Add("one", "s");
  Pass(absl::Seconds(4));
  world_.asked.clear();
  EXPECT_EQ(slot->view()->slot, "s");
  slot->metrics().slot.OnError("position_lost", time_.Monotonic());
  Pass(absl::Seconds(1));
  EXPECT_THAT(world_.asked, SizeIs(1));
}

TEST_F(SlotMonitorTest, AServerThatIsAwayIsAskedNoMoreOften) {
  const auto slot = Add("one", "s");
  slot->now.activity = engine::Activity::kRetrying;
  slot->now.activity_since = time_.Now() + absl::Seconds(50);
  world_.away = true;
  world_.took = absl::Seconds(5);
  Pass(absl::Seconds(100));
  EXPECT_LE(world_.asked.size(), 15u);
  EXPECT_GE(world_.asked.size(), 6u);
  EXPECT_FALSE(slot->view());
}

TEST_F(SlotMonitorTest, WhoBeginsComesToItsServerByItself) {
  const auto slot = Add("one", "s");
  slot->now.activity = engine::Activity::kConnecting;
  Pass(absl::Seconds(4));
  EXPECT_THAT(world_.asked, IsEmpty());
  Pass(absl::Seconds(3));
  EXPECT_THAT(world_.asked, SizeIs(1)) << "unless Kafka is waited for";
}

TEST_F(SlotMonitorTest, WhatIsGoneIsForgotten) {
  Add("one", "s");
  Pass(absl::Seconds(2));
  world_.asked.clear();
  slots_.clear();
  Pass(absl::Seconds(30));
  EXPECT_THAT(world_.asked, IsEmpty());
}

}  // namespace
}  // namespace walduct::slot
