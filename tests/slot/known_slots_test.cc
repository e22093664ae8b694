#include "slot/world/known/known_slots.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace walduct::slot {
namespace {

TEST(KnownSlots, WhoRunsItNextKnowsWhatWasKnown) {
  KnownSlots known;
  known.Of("a")->stored().emplace().sink = "kafka";
  replication::CaptureMemory captured;
  captured.begun = true;
  known.Of("a")->Remember(captured);
  EXPECT_EQ(known.Of("a")->stored()->sink, "kafka");
  EXPECT_TRUE(known.Of("a")->captured().begun);
  EXPECT_FALSE(known.Of("b")->stored().has_value());
}

TEST(KnownSlots, OfMoreThanAreKeptThoseThatRunStay) {
  KnownSlots known;
  const std::shared_ptr<KnownSlot> runs = known.Of("runs");
  runs->stored().emplace();
  known.Of("gone")->stored().emplace();
  for (size_t i = 0; i < KnownSlots::kMost; ++i) known.Of(absl::StrCat(i));
  EXPECT_EQ(known.Of("runs"), runs);
  EXPECT_FALSE(known.Of("gone")->stored().has_value());
}

TEST(KnownSlots, ASlotIsSomebodyElsesAsLongAsHisConfigurationNamesIt) {
  KnownSlots known;
  known.Claim("a", "db:5432", "debezium");
  known.Claim("b", "db:5432", "shop");
  known.Claim("c", "other:5432", "elsewhere");
  EXPECT_EQ(known.OfOthers("a", "db:5432"), std::set<std::string>({"shop"}));
  EXPECT_EQ(known.OfOthers("d", "db:5432"), std::set<std::string>({"debezium", "shop"}));
  known.Claim("b", "db:5432", "misspelt");
  EXPECT_EQ(known.OfOthers("a", "db:5432"), std::set<std::string>({"misspelt"}));
}

TEST(KnownSlots, OthersThatReadTheSameSlotAreNamed) {
  KnownSlots known;
  const std::shared_ptr<KnownSlot> a = known.Of("a", {.connector = "a", .slot = "h:5432 s"});
  std::shared_ptr<KnownSlot> b = known.Of("b", {.connector = "b", .slot = "h:5432 s"});
  const std::shared_ptr<KnownSlot> c = known.Of("c", {.connector = "c", .slot = "h:5433 s"});
  using Names = std::vector<std::string>;
  EXPECT_EQ(known.OthersOf({.connector = "a", .slot = "h:5432 s"}), Names{"b"});
  EXPECT_EQ(known.OthersOf({.connector = "c", .slot = "h:5433 s"}), Names());
  b.reset();
  EXPECT_EQ(known.OthersOf({.connector = "a", .slot = "h:5432 s"}), Names()) << "it is gone";
}

}  // namespace
}  // namespace walduct::slot
