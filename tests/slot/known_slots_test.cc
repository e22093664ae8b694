#include "slot/world/known/known_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
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

using Names = std::vector<std::string>;
using Slots = std::set<std::string>;

KnownSlots::Reader Reads(std::string connector, std::string server, std::string slot) {
  return {.connector = std::move(connector),
          .server = std::move(server),
          .slot = std::move(slot),
          .database = {},
          .publications = {}};
}

TEST(KnownSlots, ASlotIsSomebodyElsesAsLongAsHisConfigurationNamesIt) {
  KnownSlots known;
  const auto a = known.Of("a", Reads("a", "db:5432", "debezium"));
  auto b = known.Of("b", Reads("b", "db:5432", "shop"));
  const auto c = known.Of("c", Reads("c", "other:5432", "elsewhere"));
  EXPECT_EQ(known.SlotsOfOthers("a", "db:5432"), Slots({"shop"}));
  EXPECT_EQ(known.SlotsOfOthers("d", "db:5432"), Slots({"debezium", "shop"}));
  known.Of("b", Reads("b", "db:5432", "misspelt"));
  EXPECT_EQ(known.SlotsOfOthers("a", "db:5432"), Slots({"misspelt"}));
  b.reset();
  EXPECT_EQ(known.SlotsOfOthers("a", "db:5432"), Slots()) << "it is gone";
}

TEST(KnownSlots, APublicationIsSomebodyElsesWhateverItsServerIsCalled) {
  KnownSlots known;
  auto shop = known.Of("shop", {.connector = "shop",
                                .server = "db:5432",
                                .slot = "a",
                                .database = "shopdb",
                                .publications = {"Shop_pub"}});
  const auto elsewhere = known.Of("elsewhere", {.connector = "elsewhere",
                                                .server = "db:5432",
                                                .slot = "b",
                                                .database = "other",
                                                .publications = {"other_pub"}});
  EXPECT_THAT(known.PublicationsOfOthers("new", "shopdb"),
              testing::ElementsAre("Shop_pub", "shop_pub"));
  EXPECT_THAT(known.PublicationsOfOthers("shop", "shopdb"), testing::IsEmpty()) << "its own";
  shop.reset();
  EXPECT_THAT(known.PublicationsOfOthers("new", "shopdb"), testing::IsEmpty()) << "it is gone";
}

TEST(KnownSlots, OthersThatReadTheSameSlotAreNamed) {
  KnownSlots known;
  const auto a = known.Of("a", Reads("a", "h:5432", "s"));
  auto b = known.Of("b", Reads("b", "h:5432", "s"));
  const auto c = known.Of("c", Reads("c", "h:5433", "s"));
  EXPECT_EQ(known.OthersOf(Reads("a", "h:5432", "s")), Names{"b"});
  EXPECT_EQ(known.OthersOf(Reads("c", "h:5433", "s")), Names());
  b.reset();
  EXPECT_EQ(known.OthersOf(Reads("a", "h:5432", "s")), Names()) << "it is gone";
}

}  // namespace
}  // namespace walduct::slot
