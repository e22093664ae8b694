#include "slot/handover/handover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "engine/errors/error_policy.h"
#include "replication/options.h"
#include "slot/lanes/handover_news.h"
#include "snapshot/options.h"
#include "tests/slot/handover_fixture.h"

namespace walduct::slot {
namespace {

using testing::HasSubstr;

TEST_F(HandoverTest, TablesComeToMoreSlotsAndToFewer) {
  for (const auto& [from, to] : {std::pair(1, 3), {3, 2}, {2, 1}, {1, 2}, {4, 2}, {2, 5}}) {
    SCOPED_TRACE(absl::StrCat(from, ">", to));
    RanWith(from);
    const std::map<std::string, int> before = disk_.slot_of;
    ASSERT_TRUE(Run(to).ok());
    for (const auto& [table, slot] : before) {
      const int now = disk_.slot_of[table];
      EXPECT_TRUE(now == slot || now > from || slot > to) << table << " has moved needlessly";
    }
    ExpectAllIsWell(to);
  }
}

// Twice, in any two places.
TEST_F(HandoverTest, AProcessThatEndsAnywhereIsGoneOnFrom) {
  for (const auto& [from, to] : {std::pair(1, 3), {3, 2}, {2, 1}, {3, 1}}) {
    RanWith(from);
    Fate whole;
    ASSERT_TRUE(Run(Config(to), &whole).ok());
    ASSERT_GT(whole.calls, 10);
    int ended = 0;
    for (int places = 0; places < whole.calls * whole.calls * 2; ++places) {
      const Fate one{.ends_at = places / 2 / whole.calls, .after = places % 2 == 1};
      const Fate two{.ends_at = places / 2 % whole.calls, .after = one.after};
      SCOPED_TRACE(absl::StrCat(from, ">", to, " ends at ", one.ends_at, " and ", two.ends_at,
                                one.after ? ", after that" : ""));
      ended += EndsTwice(from, to, one, two);
      if (HasFailure()) return;
    }
    EXPECT_GT(ended, whole.calls) << "the second, too";
  }
}

// A server that was promoted before it had the moves, and what was written behind them.
TEST_F(HandoverTest, MovesThatAFailoverHasUndoneAreMadeAgain) {
  for (const auto& [from, to] : {std::pair(2, 1), {3, 2}, {3, 1}}) {
    int undone = 0;
    for (int ends_at = 0; ends_at < 60; ++ends_at) {
      SCOPED_TRACE(absl::StrCat(from, ">", to, " ends at ", ends_at));
      RanWith(from);
      const Disk before = disk_;
      Fate fate{.ends_at = ends_at, .after = true};
      if (Run(Config(to), &fate).ok()) break;
      const auto& handover = disk_.offsets.at(1).handover;
      if (!handover || handover->step != offset::SlotHandover::Step::kDraining) continue;
      if (disk_.published.size() != before.published.size()) break;
      const std::map<int, StoredOffset> offsets = disk_.offsets;
      disk_ = before;
      disk_.offsets = offsets;
      disk_.WriteAll();
      ASSERT_TRUE(Run(to).ok());
      ExpectAllIsWell(to);
      ++undone;
    }
    EXPECT_GT(undone, 0);
  }
}

TEST_F(HandoverTest, NoServerIsWaitedForToComeToWhereAnotherWas) {
  RanWith(2);
  for (int ends_at = 0; ends_at < 60; ++ends_at) {
    Fate fate{.ends_at = ends_at, .after = true};
    ASSERT_FALSE(Run(Config(1), &fate).ok());
    const auto& handover = disk_.offsets.at(1).handover;
    if (handover && handover->step == offset::SlotHandover::Step::kDraining) break;
  }
  disk_.offsets.at(1).handover->cut = Lsn(disk_.end + 1'000'000);
  ASSERT_TRUE(Run(1).ok());
  ExpectAllIsWell(1);
}

TEST_F(HandoverTest, NothingIsDoneOnAnotherServer) {
  for (const bool begun : {false, true}) {
    RanWith(2);
    if (begun) disk_.offsets.at(1).handover = offset::SlotHandover{.from = 2, .to = 3};
    disk_.offsets.at(1).system_identifier = "1";
    const std::map<std::string, uint64_t> slots = disk_.slots;
    const absl::Status refused = Run(3);
    EXPECT_EQ(ErrorReason(refused), "system_mismatch") << refused;
    EXPECT_EQ(disk_.slots, slots);
    EXPECT_EQ(disk_.offsets.at(1).handover.has_value(), begun);
  }
}

TEST_F(HandoverTest, WhatSeveralSlotsRefuseIsRefusedUntilItIsDone) {
  RanWith(2);
  disk_.offsets.at(1).handover = offset::SlotHandover{.from = 2, .to = 1};
  engine::ConnectorOptions one = Config(1);
  one.replication->share.only_one = "provide.transaction.metadata=true";
  Fate fate;
  const absl::Status refused = Run(one, &fate);
  EXPECT_EQ(ErrorReason(refused), "slots_changed") << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("provide.transaction.metadata=true"));
  ASSERT_TRUE(Run(1).ok());
  ExpectAllIsWell(1);
}

TEST_F(HandoverTest, ASlotThatIsLostBeforeItIsReadToItsEndIsTold) {
  RanWith(2);
  drains_ = Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "WAL is gone", "");
  const absl::Status lost = Run(1);
  EXPECT_EQ(ErrorReason(lost), "slots_changed") << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr("WAL is gone"));
  EXPECT_THAT(ErrorHint(lost), HasSubstr("docs/slots.md"));
  EXPECT_EQ(disk_.slots.size(), 2u);
}

TEST_F(HandoverTest, ItMayGoBackOnceItIsDone) {
  RanWith(2);
  ASSERT_TRUE(Run(3).ok());
  ASSERT_TRUE(Run(2).ok());
  ASSERT_TRUE(Run(1).ok());
  ASSERT_TRUE(Run(3).ok());
  ExpectAllIsWell(3);
}

TEST_F(HandoverTest, WhileItIsUnderWayNoOtherNumberIsTaken) {
  RanWith(1);
  for (int ends_at = 0; ends_at < 100; ++ends_at) {
    Fate fate{.ends_at = ends_at, .after = true};
    if (!Run(Config(3), &fate).ok() && disk_.offsets.at(1).handover) break;
  }
  for (const int other : {1, 2, 4}) {
    const absl::Status refused = Run(other);
    EXPECT_EQ(ErrorReason(refused), "slots_changed");
    EXPECT_THAT(std::string(refused.message()), HasSubstr("on their way from 1 slot to 3"));
    EXPECT_THAT(ErrorHint(refused), HasSubstr("walduct.slots=3"));
  }
  ASSERT_TRUE(Run(3).ok());
  ExpectAllIsWell(3);
}

TEST_F(HandoverTest, ALockedTableIsWaitedFor) {
  RanWith(1);
  disk_.moves_locked = 100;
  ASSERT_TRUE(Run(3).ok());
  EXPECT_GT(time_.Monotonic() - begun_, absl::Seconds(99));
  ASSERT_TRUE(board_.Read().last_error);
  EXPECT_EQ(board_.Read().last_error->reason, "tables_locked");
  EXPECT_EQ(disk_.patient_tries, 20) << "so that writers queue for long in each fifth alone";
  ExpectAllIsWell(3);
}

TEST_F(HandoverTest, WithoutTheRightsNothingIsBegun) {
  for (const auto& [from, to] : {std::pair(2, 3), {3, 2}}) {
    RanWith(from);
    const Disk before = disk_;
    disk_.rights = Error(absl::StatusCode::kPermissionDenied, "publication_not_permitted",
                         "it does not own publication p", "ALTER PUBLICATION p OWNER TO r");
    const absl::Status refused = Run(to);
    EXPECT_EQ(ErrorReason(refused), "publication_not_permitted") << refused;
    EXPECT_EQ(engine::ExitCodeFor(refused), engine::kExitPrerequisite);
    EXPECT_EQ(disk_.slots, before.slots);
    EXPECT_EQ(disk_.publications, before.publications);
    EXPECT_EQ(disk_.slot_of, before.slot_of);
    for (const auto& [number, offset] : disk_.offsets)
      EXPECT_EQ(offset::EncodeOffset(offset), offset::EncodeOffset(before.offsets.at(number)));
    disk_.rights = absl::OkStatus();
    ASSERT_TRUE(Run(to).ok());
    ExpectAllIsWell(to);
  }
}

TEST_F(HandoverTest, WhatCannotBeHandedOverIsRefusedAndNothingIsChanged) {
  const auto refused = [this](const std::string& why, engine::ConnectorOptions config = Config(3)) {
    Fate fate;
    const std::map<std::string, uint64_t> slots = disk_.slots;
    const absl::Status status = Run(config, &fate);
    EXPECT_EQ(ErrorReason(status), "slots_changed") << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
    EXPECT_THAT(ErrorHint(status), HasSubstr("walduct.slots=2"));
    EXPECT_EQ(disk_.slots, slots);
    EXPECT_FALSE(disk_.offsets.at(1).handover);
  };
  RanWith(2);
  disk_.offsets.at(2).position.snapshot = event::SnapshotPhase::kRunning;
  refused("the snapshot of slot s_2 has not come to its end");
  RanWith(2);
  disk_.offsets.erase(2);
  refused("slot s_2 has no position");
  RanWith(2);
  disk_.offsets.at(2).slots = 4;
  refused("the position of slot s_2 is one of 4 slots");
  RanWith(2);
  disk_.slots.erase("s_2");
  refused("slot s_2 is not there");
  RanWith(2);
  disk_.slots["s_3"] = 1;
  refused("a slot s_3 is there already");
  RanWith(2);
  disk_.slots["s_2"] = disk_.end;
  refused("slot s_2 does not reach back to its position");
  RanWith(2);
  disk_.offsets.at(1).members["walduct_incremental_snapshot"] = "\"{}\"";
  refused("a snapshot that a signal asked for");
  RanWith(2);
  engine::ConnectorOptions one = Config(1);
  one.replication->share.only_one = "it needs publication.autocreate.mode=filtered";
  refused("it needs publication.autocreate.mode=filtered", one);
  RanWith(2);
  engine::ConnectorOptions reads_only = Config(3);
  reads_only.snapshot->mode = snapshot::SnapshotMode::kInitialOnly;
  refused("snapshot.mode streams nothing", reads_only);
}

TEST_F(HandoverTest, APositionThatIsLostMeanwhileIsNotMadeUp) {
  RanWith(3);
  disk_.moves_locked = 1000;
  time_.After(absl::Seconds(5), [this] {
    disk_.offsets.erase(3);
    disk_.moves_locked = 0;
  });
  const absl::Status lost = Run(2);
  EXPECT_EQ(ErrorReason(lost), "offset_missing") << lost;
  EXPECT_EQ(disk_.slots.size(), 3u);
}

TEST_F(HandoverTest, AStalePositionOfANewSlotIsForgotten) {
  RanWith(2);
  disk_.offsets[3] = disk_.offsets.at(2);
  disk_.offsets.at(3).slots = 3;
  disk_.offsets.at(3).position.commit_end = Lsn(1);
  ASSERT_TRUE(Run(3).ok());
  ExpectAllIsWell(3);
}

// As Debezium writes it.
TEST_F(HandoverTest, OfOneSlotAnyPositionWillDo) {
  RanWith(1);
  disk_.offsets.at(1) = *offset::DecodeOffset(
      R"({"lsn_proc":100,"messageType":"COMMIT","lsn_commit":100,"lsn":100,"txId":7,"ts_usec":1})");
  ASSERT_TRUE(Run(2).ok());
  ExpectAllIsWell(2);
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(offset::EncodeOffset(disk_.offsets.at(1)).find("walduct_slots"), std::string::npos);
  EXPECT_EQ(offset::EncodeOffset(disk_.offsets.at(1)).find("walduct_handover"), std::string::npos);
}

TEST_F(HandoverTest, WithoutAPositionThereIsNothingToHandOver) {
  EXPECT_TRUE(Run(3).ok());
  RanWith(3);
  EXPECT_TRUE(Run(3).ok());
  EXPECT_TRUE(disk_.published.empty());
}

TEST_F(HandoverTest, TheOtherLanesWaitUntilItIsStored) {
  RanWith(1);
  Fate fate;
  time_.After(absl::Seconds(40), [this] { ASSERT_TRUE(Run(2).ok()); });
  const engine::ConnectorOptions second = Config(2, 2);
  ASSERT_TRUE(Run(second, &fate).ok());
  EXPECT_GE(time_.Monotonic() - begun_, absl::Seconds(40));
  EXPECT_EQ(board_.Read().activity, engine::Activity::kHandingOver);
  ExpectAllIsWell(2);
}

TEST_F(HandoverTest, TheOtherLanesFailWithTheFirst) {
  RanWith(1);
  const engine::ConnectorOptions second = Config(2, 2);
  const auto refusal = Error(absl::StatusCode::kFailedPrecondition, "slots_changed", "no", "");
  time_.After(absl::Seconds(1), [&] { second.handover_news->End(refusal); });
  Fate fate;
  EXPECT_EQ(Run(second, &fate), refusal);
  EXPECT_LT(time_.Monotonic() - begun_, absl::Seconds(2));
  // One that is told already may be about to be taken back.
  time_.After(absl::Seconds(1), [&] { second.handover_news->Begin(); });
  time_.After(absl::Seconds(30), [this] { ASSERT_TRUE(Run(2).ok()); });
  EXPECT_TRUE(Run(second, &fate).ok());
  second.handover_news->End(refusal);
  disk_.offsets.at(1).slots = 3;
  EXPECT_EQ(Run(second, &fate), refusal);
}

TEST_F(HandoverTest, AWaitIsInterrupted) {
  RanWith(1);
  const engine::ConnectorOptions second = Config(2, 2);
  time_.After(absl::Seconds(1), [this] { mailbox_.Post(engine::Command::kStop); });
  Fate fate;
  EXPECT_TRUE(absl::IsCancelled(Run(second, &fate)));
  EXPECT_TRUE(absl::IsCancelled([&] {
    disk_.moves_locked = 1000;
    return Run(2);
  }()));
}

}  // namespace
}  // namespace walduct::slot
