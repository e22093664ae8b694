#include "route/collection_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::route {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Arranged(CollectionOrder& order, const std::vector<std::string>& names) {
  std::vector<event::CollectionCount> collections;
  for (const std::string& name : names) collections.push_back({.name = name, .events = 1});
  order.Arrange(&collections);
  std::vector<std::string> arranged;
  for (const event::CollectionCount& c : collections) arranged.emplace_back(c.name);
  return arranged;
}

std::vector<std::string> Numbered(int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back("public.t" + std::to_string(i));
  return names;
}

// The expected orders were printed by java.util.HashMap.
TEST(CollectionOrder, IsThatOfAHashMap) {
  CollectionOrder order;
  EXPECT_THAT(Arranged(order, {"public.t2", "public.orders"}),
              ElementsAre("public.orders", "public.t2"));
  EXPECT_THAT(
      Arranged(order, {"public.zebra", "public.apple", "public.mango", "s.été", "public.𝄞"}),
      ElementsAre("public.zebra", "public.mango", "public.𝄞", "public.apple", "s.été"));
}

TEST(CollectionOrder, AMapThatHasGrownStaysLarge) {
  CollectionOrder order;
  EXPECT_THAT(Arranged(order, Numbered(13)),
              ElementsAre("public.t12", "public.t13", "public.t8", "public.t7", "public.t9",
                          "public.t4", "public.t3", "public.t6", "public.t5", "public.t10",
                          "public.t11", "public.t2", "public.t1"));
  EXPECT_THAT(
      Arranged(order, {"public.zebra", "public.apple", "public.mango", "s.été", "public.𝄞"}),
      ElementsAre("public.zebra", "s.été", "public.mango", "public.𝄞", "public.apple"));
}

TEST(CollectionOrder, BrokenUtf8IsNoTrouble) {
  CollectionOrder order;
  EXPECT_EQ(Arranged(order, {"\xE2\x82", "\xF0"}).size(), 2u);
}

}  // namespace
}  // namespace walduct::route
