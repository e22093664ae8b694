#include "replication/slots/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "java/regex/regex_list.h"

namespace walduct::replication {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SlotShare Share(int count) {
  return {.number = 1, .count = count, .publications = {"p", "p_2", "p_3"}, .pins = {}};
}

TableOfSlots Table(uint32_t oid, const std::string& name, std::vector<Oid> parents = {},
                   const std::string& root = "") {
  return {.relation = Oid{oid},
          .name = name,
          .parents = std::move(parents),
          .root_name = root.empty() ? name : root};
}

std::vector<int> Slots(const std::vector<TableOfSlots>& tables, const NamedIn& named,
                       const SlotShare& share) {
  const auto slots = Distribute(tables, named, share);
  EXPECT_TRUE(slots.ok()) << slots.status();
  return slots.value_or(std::vector<int>());
}

// What a release has spread, the next one finds where it is.
TEST(DistributionTest, TheHashIsTheSameForEver) {
  std::vector<int> slots;
  for (const char* name : {"public.a", "public.b", "public.c", "public.orders", "s.Käse", "s.x y"})
    slots.push_back(SlotOfNewTable(name, Share(3)));
  EXPECT_THAT(slots, ElementsAre(3, 2, 3, 1, 1, 3));
}

TEST(DistributionTest, SpreadsTablesEvenly) {
  std::map<int, int> counts;
  for (int i = 0; i < 30000; ++i) ++counts[SlotOfNewTable(absl::StrCat("public.t", i), Share(3))];
  for (const int slot : {1, 2, 3}) EXPECT_NEAR(counts[slot], 10000, 400) << slot;
}

TEST(DistributionTest, OneMoreSlotTakesTablesAndMovesNoOther) {
  int moved = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::string name = absl::StrCat("public.t", i);
    const int before = SlotOfNewTable(name, Share(3)), after = SlotOfNewTable(name, Share(4));
    if (before == after) continue;
    ++moved;
    EXPECT_EQ(after, 4) << name;
  }
  EXPECT_NEAR(moved, 2500, 200);
}

TEST(DistributionTest, APinDecidesBeforeTheHash) {
  SlotShare share = Share(3);
  share.pins = {{java::RegexList::OfChecked("public\\.hot"), 2},
                {java::RegexList::OfChecked("public\\..*"), 3}};
  EXPECT_EQ(SlotOfNewTable("public.hot", share), 2);
  EXPECT_EQ(SlotOfNewTable("public.cold", share), 3);
}

TEST(DistributionTest, ATableStaysWhereAPublicationNamesIt) {
  SlotShare share = Share(3);
  share.pins = {{java::RegexList::OfChecked(".*"), 1}};
  EXPECT_THAT(Slots({Table(1, "public.renamed"), Table(2, "public.fresh")}, {{Oid{1}, {3}}}, share),
              ElementsAre(3, 1));
}

TEST(DistributionTest, PartitionsFollowTheirRoot) {
  SlotShare share = Share(3);
  share.pins = {{java::RegexList::OfChecked("public\\.root"), 2},
                {java::RegexList::OfChecked("public\\.part.*"), 3}};
  const std::vector<TableOfSlots> tables = {
      Table(1, "public.root"), Table(2, "public.part", {Oid{1}}, "public.root"),
      Table(3, "public.partsub", {Oid{2}, Oid{1}}, "public.root")};
  EXPECT_THAT(Slots(tables, {}, share), ElementsAre(2, 2, 2));
  EXPECT_THAT(Slots(tables, {{Oid{1}, {1}}}, share), ElementsAre(1, 1, 1));
  // It was a table before it became a partition.
  EXPECT_THAT(Slots(tables, {{Oid{1}, {1}}, {Oid{2}, {3}}}, share), ElementsAre(1, 3, 3));
}

TEST(DistributionTest, ATableOfTwoPublicationsIsRefused) {
  const absl::Status status =
      Distribute({Table(1, "public.a")}, {{Oid{1}, {1, 3}}}, Share(3)).status();
  EXPECT_EQ(ErrorReason(status), "table_in_two_publications");
  EXPECT_THAT(ErrorHint(status), HasSubstr(R"(ALTER PUBLICATION "p_3" DROP TABLE public.a)"));
}

}  // namespace
}  // namespace walduct::replication
