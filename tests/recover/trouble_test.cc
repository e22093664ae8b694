#include "recover/run/trouble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recover/run/settling.h"

namespace walduct::recover {
namespace {

using testing::HasSubstr;

constexpr absl::Duration kPatience = absl::Seconds(10);
const absl::Time kBegun = absl::FromUnixSeconds(1000);

// A server that answers and replays, whose gate has handed out a segment.
GateNotes Notes() {
  GateNotes notes;
  notes.data_folder = "1:2";
  notes.file = "000000010000000000000005";
  notes.last_record = Lsn(0x5FFFF00);
  return notes;
}

Seen SeenAt(absl::Time at) {
  Seen seen;
  seen.begun = kBegun;
  seen.pause = "not paused";
  seen.replayed = Lsn(0x5000100);
  seen.replayed_at = at;
  return seen;
}

GateNotes WaitsFor(const std::string& what, absl::Time since) {
  GateNotes notes = Notes();
  notes.waits_for = what;
  notes.asked = "000000010000000000000006";
  notes.waits_since_ms = absl::ToUnixMillis(since);
  return notes;
}

std::string ReasonAt(const GateNotes& notes, const Seen& seen, absl::Time now) {
  const auto trouble = FindTrouble(notes, seen, "/state", now, kPatience);
  return trouble ? std::string(trouble->reason) : "";
}

TEST(Trouble, NoneWhileReplayGoesOn) {
  const absl::Time now = kBegun + absl::Hours(1);
  EXPECT_EQ(ReasonAt(Notes(), SeenAt(now - absl::Seconds(1)), now), "");
  for (const char* const slot : {"slot", "confirmed", "catalog_xmin"})
    EXPECT_EQ(ReasonAt(WaitsFor(slot, kBegun), SeenAt(kBegun), now), "") << slot;
}

TEST(Trouble, GateThatNobodyAsks) {
  Seen seen;
  seen.begun = kBegun;
  EXPECT_EQ(ReasonAt(GateNotes(), seen, kBegun + kPatience), "");
  const absl::Time now = kBegun + kPatience + absl::Seconds(1);
  EXPECT_EQ(ReasonAt(GateNotes(), seen, now), "recover_gate_silent");
  EXPECT_THAT(FindTrouble(GateNotes(), seen, "/state", now, kPatience)->hint,
              HasSubstr("walduct recover gate --state /state"));
}

// What lasts is said with since when; what passes is not.
TEST(Trouble, ArchiveAndDisk) {
  const absl::Time now = kBegun + absl::Hours(1);
  const Seen seen = SeenAt(now);
  EXPECT_EQ(ReasonAt(WaitsFor("archive", now - kPatience), seen, now), "");
  const absl::Time since = now - kPatience - absl::Seconds(1);
  const auto waits = FindTrouble(WaitsFor("archive", since), seen, "/state", now, kPatience);
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->reason, "recover_archive_waits");
  EXPECT_EQ(waits->since, since);
  EXPECT_THAT(waits->what, HasSubstr("000000010000000000000006"));
  EXPECT_EQ(ReasonAt(WaitsFor("fetch", since), seen, now), "recover_archive_slow");
  EXPECT_EQ(ReasonAt(WaitsFor("disk", now - absl::Milliseconds(500)), seen, now), "");
  EXPECT_EQ(ReasonAt(WaitsFor("disk", now - absl::Seconds(2)), seen, now), "recover_disk_full");
}

TEST(Trouble, SlowArchiveDoesNotStand) {
  const absl::Time now = kBegun + absl::Hours(1);
  GateNotes notes = Notes();
  notes.fetch_ms = 1999;
  EXPECT_EQ(ReasonAt(notes, SeenAt(now), now), "");
  notes.fetch_ms = 5000;
  const auto slow = FindTrouble(notes, SeenAt(now), "/state", now, kPatience);
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->reason, "recover_archive_slow");
  EXPECT_FALSE(slow->stands);
  EXPECT_THAT(slow->what, HasSubstr("5s"));
  // One that was slow once does not hide that replay stands, or that it waits for its slot.
  EXPECT_EQ(ReasonAt(notes, SeenAt(now - kPatience - absl::Seconds(1)), now),
            "recover_replay_stands");
  GateNotes waits = WaitsFor("confirmed", now);
  waits.fetch_ms = 5000;
  EXPECT_EQ(ReasonAt(waits, SeenAt(now), now), "");
}

TEST(Trouble, SlotThatDoesNotMove) {
  const absl::Time now = kBegun + absl::Hours(1);
  Seen seen = SeenAt(kBegun);
  seen.confirmed = Lsn(0x4000028);
  seen.confirmed_at = now - kSlotPatience;
  const GateNotes notes = WaitsFor("confirmed", kBegun);
  EXPECT_EQ(ReasonAt(notes, seen, now), "");
  const absl::Time later = now + absl::Seconds(1);
  const auto stands = FindTrouble(notes, seen, "/state", later, kPatience);
  ASSERT_TRUE(stands);
  EXPECT_EQ(stands->reason, "recover_slot_stands");
  EXPECT_TRUE(stands->stands);
  EXPECT_EQ(stands->since, seen.confirmed_at);
  EXPECT_THAT(stands->what, HasSubstr("0/4000028"));
  // It has been waited for only since then; nor is it told of what is not waited for.
  EXPECT_EQ(ReasonAt(WaitsFor("confirmed", now), seen, later), "");
  EXPECT_EQ(ReasonAt(WaitsFor("catalog_xmin", kBegun), seen, later), "");
  EXPECT_FALSE(FindTrouble(notes, seen, "/state", later, absl::Minutes(5)));
}

TEST(Trouble, ServerThatIsAwayOrPausedOrStands) {
  const absl::Time now = kBegun + absl::Hours(1);
  Seen away = SeenAt(kBegun);
  away.pause.clear();
  away.away_since = now - absl::Seconds(5);
  away.away_why = "connection refused";
  EXPECT_EQ(ReasonAt(Notes(), away, now), "");
  away.away_since = now - absl::Seconds(11);
  EXPECT_EQ(ReasonAt(Notes(), away, now), "recover_server_away");
  EXPECT_THAT(FindTrouble(Notes(), away, "/state", now, kPatience)->what,
              HasSubstr("connection refused"));

  Seen paused = SeenAt(now);
  paused.pause = "paused";
  EXPECT_EQ(ReasonAt(Notes(), paused, now), "recover_replay_paused");

  EXPECT_EQ(ReasonAt(Notes(), SeenAt(now - absl::Seconds(11)), now), "recover_replay_stands");
  Seen through = SeenAt(now - absl::Seconds(11));
  through.replayed = Lsn(0x6000000);
  EXPECT_EQ(ReasonAt(Notes(), through, now), "recover_gate_silent");
}

}  // namespace
}  // namespace walduct::recover
