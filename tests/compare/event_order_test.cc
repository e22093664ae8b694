// Records of an EventRouter: they have the id of their event, and no position.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compare/matcher.h"

namespace walduct::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Event {
  std::string id;
  std::optional<std::string> value = R"({"total":1})";
  int32_t partition = 0;
  std::string key = "order-1";
};
using Events = std::vector<Event>;

Events Ids(const std::string& ids, int32_t partition = 0) {
  Events all;
  for (const char id : ids) all.push_back({.id = std::string(1, id), .partition = partition});
  return all;
}

Result EventsCompared(const Events& left, const Events& right, bool routed = true) {
  const std::vector<std::string> ignored;
  Matcher matcher({Extent{}, Extent{}}, {});
  for (size_t side = 0; side < 2; ++side) {
    std::map<int32_t, Identifier> partitions;
    for (const Event& event : side == 0 ? left : right) {
      Identifier& identifier =
          partitions.try_emplace(event.partition, &ignored, routed).first->second;
      const kafka::TopicRecord record{.partition = event.partition,
                                      .key = event.key,
                                      .value = event.value,
                                      .headers = absl::StrCat("id=", event.id, "\ntype=placed\n")};
      const absl::StatusOr<Identity> identity = identifier.Identify(record);
      EXPECT_EQ(identity.status(), absl::OkStatus());
      EXPECT_EQ(identity->event, routed);
      EXPECT_EQ(matcher.Add(side == 0 ? Side::kLeft : Side::kRight, *identity, "here"),
                absl::OkStatus());
    }
  }
  return matcher.Finish();
}

std::string EventCounts(const Result& result) {
  const std::vector<std::pair<const char*, uint64_t>> counts = {
      {"equal", result.equal}, {"different", result.different}, {"missing", result.missing},
      {"extra", result.extra}, {"repeated", result.repeated},   {"before", result.before},
      {"after", result.after}, {"unplaced", result.unplaced}};
  std::string out;
  for (const auto& [name, count] : counts) {
    if (count > 0) absl::StrAppend(&out, out.empty() ? "" : " ", name, " ", count);
  }
  return out;
}

std::string CountedIds(const std::string& left, const std::string& right) {
  return EventCounts(EventsCompared(Ids(left), Ids(right)));
}

TEST(EventOrderTest, AheadOfTheFirstCommonOneIsBeforeBehindTheLastAfter) {
  const Result result = EventsCompared(Ids("abcdefg"), Ids("def"));
  EXPECT_EQ(EventCounts(result), "equal 3 before 3 after 1");
  EXPECT_TRUE(result.same());
  EXPECT_THAT(result.events_before, ElementsAre(3, 0));
  EXPECT_THAT(result.events_after, ElementsAre(1, 0));
  EXPECT_EQ(CountedIds("def", "abcdefg"), "equal 3 before 3 after 1");
}

TEST(EventOrderTest, BetweenCommonOnesItIsMissing) {
  const Result result = EventsCompared(Ids("abcdefg"), Ids("deg"));
  EXPECT_EQ(EventCounts(result), "equal 3 missing 1 before 3");
  EXPECT_FALSE(result.same());
  EXPECT_THAT(result.examples, ElementsAre(HasSubstr("missing key order-1 event f")));
  EXPECT_EQ(CountedIds("deg", "abcdefg"), "equal 3 extra 1 before 3");
}

// One that was lost right there looks the same: it is counted.
TEST(EventOrderTest, NextToTheFirstCommonOneNothingTells) {
  const Result result = EventsCompared(Ids("abcde"), Ids("de"));
  EXPECT_EQ(EventCounts(result), "equal 2 before 3");
  EXPECT_THAT(result.events_before, ElementsAre(3, 0));
  Result all;
  all.Add(result);
  all.Add(result);
  EXPECT_THAT(all.events_before, ElementsAre(6, 0));
}

TEST(EventOrderTest, WhereBothHaveSomeAheadOneHasLostIts) {
  EXPECT_EQ(CountedIds("abcx", "yx"), "equal 1 missing 3 extra 1");
  EXPECT_EQ(CountedIds("xa", "xy"), "equal 1 missing 1 extra 1");
  EXPECT_EQ(CountedIds("ax", "xy"), "equal 1 before 1 after 1");
}

TEST(EventOrderTest, WithoutACommonOneNoneIsPlaced) {
  const Result result = EventsCompared(Ids("abc"), {});
  EXPECT_EQ(EventCounts(result), "unplaced 3");
  EXPECT_TRUE(result.same());
  EXPECT_EQ(EventCounts(EventsCompared(Ids("abc"), Ids("y"))), "missing 3 extra 1")
      << "both have written there";
}

TEST(EventOrderTest, EachPartitionHasItsOwnOrder) {
  Events left = Ids("abc"), right = Ids("c");
  for (const Event& event : Ids("mno", 1)) left.push_back(event);
  for (const Event& event : Ids("mo", 1)) right.push_back(event);
  EXPECT_EQ(EventCounts(EventsCompared(left, right)), "equal 3 missing 1 before 2");
  for (const Event& event : Ids("q", 2)) left.push_back(event);
  EXPECT_EQ(EventCounts(EventsCompared(left, right)), "equal 3 missing 1 before 2 unplaced 1");
}

TEST(EventOrderTest, TopicsWithOtherNumbersOfPartitions) {
  Events right = Ids("ce");
  for (const Event& event : Ids("df", 1)) right.push_back(event);
  EXPECT_EQ(EventCounts(EventsCompared(Ids("abcdef"), right)), "equal 4 before 2");
}

TEST(EventOrderTest, WhatOneSideHasTwiceIsRepeated) {
  EXPECT_EQ(CountedIds("abcbcd", "cd"), "equal 2 repeated 2 before 2");
  EXPECT_EQ(CountedIds("cd", "cdcd"), "equal 2 repeated 2");
}

TEST(EventOrderTest, TheSameIdWithAnotherTextIsDifferent) {
  Events right = Ids("bc");
  right[1].value = R"({"total":2})";
  const Result result = EventsCompared(Ids("abc"), right);
  EXPECT_EQ(EventCounts(result), "equal 1 different 1 before 1");
  EXPECT_THAT(result.examples, ElementsAre(HasSubstr("total: 1 | 2")));
}

// Nor is one of them hidden by the other.
TEST(EventOrderTest, AnIdThatIsUsedAgainNamesTwoEvents) {
  Events left = Ids("aa"), right = Ids("a");
  left[1].value = R"({"total":2})";
  left.push_back({.id = "z"});
  right.push_back({.id = "z"});
  EXPECT_EQ(EventCounts(EventsCompared(left, right)), "equal 2 missing 1");
}

TEST(EventOrderTest, TombstonesAndTextAreEventsToo) {
  Events left = Ids("abcd"), right = Ids("bd");
  left[1].value = right[0].value = std::nullopt;
  left[2].value = std::nullopt;
  left[3].value = right[1].value = "plain";
  EXPECT_EQ(EventCounts(EventsCompared(left, right)), "equal 2 missing 1 before 1");
}

// Fields of the application that are called like Debezium's.
TEST(EventOrderTest, WhatTheApplicationWroteSaysNoPosition) {
  Events left = Ids("abc"), right = Ids("bc");
  for (Events* const side : {&left, &right}) {
    for (Event& event : *side) event.value = R"({"op":"r","status":"BEGIN","id":"7:99"})";
  }
  EXPECT_EQ(EventCounts(EventsCompared(left, right)), "equal 2 before 1");
}

TEST(EventOrderTest, WithoutARouterAHeaderNamesNoEvent) {
  EXPECT_EQ(EventCounts(EventsCompared(Ids("abc"), Ids("bc"), false)), "equal 2 missing 1");
}

}  // namespace
}  // namespace walduct::compare
