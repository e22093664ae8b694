#include "snapshot/read_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::snapshot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<BlockRange> Added(const std::vector<BlockRange>& ranges) {
  std::vector<BlockRange> all;
  for (const BlockRange& range : ranges) AddRange(range, &all);
  return all;
}

TEST(ReadRecord, RangesAreJoinedWhereTheyTouch) {
  EXPECT_THAT(Added({{20, 30}, {0, 10}, {10, 20}}), ElementsAre(BlockRange{0, 30}));
  EXPECT_THAT(Added({{0, 10}, {11, 20}}), ElementsAre(BlockRange{0, 10}, BlockRange{11, 20}));
  EXPECT_THAT(Added({{10, std::nullopt}, {0, 10}}), ElementsAre(BlockRange{0, std::nullopt}));
}

TEST(ReadRecord, WhatIsLeftIsTheRest) {
  EXPECT_THAT(RangesLeft({}), ElementsAre(BlockRange{0, std::nullopt}));
  EXPECT_THAT(RangesLeft({{5, 10}, {20, std::nullopt}}),
              ElementsAre(BlockRange{0, 5}, BlockRange{10, 20}));
  EXPECT_THAT(RangesLeft({{0, std::nullopt}}), IsEmpty());
}

TEST(ReadRecord, TellsWhatWasReadUntilThen) {
  ReadRecord record({});
  record.OnRead("public.a", "f", 700, {10, 20});
  record.OnRead("public.a", "f", 700, {0, 10});
  record.OnRead("public.b", "", 700, {0, std::nullopt});
  EXPECT_EQ(record.TextAt(0), "{}");
  EXPECT_EQ(record.TextAt(1), R"({"public.a":{"storage":"f","since":700,"read":[[10,20]]}})");
  EXPECT_EQ(record.TextAt(record.size()),
            R"({"public.a":{"storage":"f","since":700,"read":[[0,20]]},)"
            R"("public.b":{"storage":"","since":700,"read":[[0]]}})");
}

// What was read first has the oldest view: what has changed since is looked at again.
TEST(ReadRecord, ATableKeepsTheFirstViewItWasReadIn) {
  const auto before = DecodeReadTables(R"({"a.b":{"storage":"f","since":5,"read":[[0,10]]}})");
  ASSERT_TRUE(before.ok());
  ReadRecord record(*before);
  record.OnRead("a.b", "f", 900, {10, 20});
  EXPECT_EQ(record.TextAt(1), R"({"a.b":{"storage":"f","since":5,"read":[[0,20]]}})");
  record.Forget("a.b");
  EXPECT_EQ(record.TextAt(1), R"({"a.b":{"storage":"f","since":900,"read":[[10,20]]}})");
}

TEST(ReadRecord, WhatIsNotOursIsRefused) {
  for (const char* json : {"", "[]", "{\"a\":1}", R"({"a":{"storage":"f","since":-1,"read":[]}})",
                           R"({"a":{"storage":"f","since":1,"read":[[1,2,3]]}})",
                           R"({"a":{"storage":"f","since":1,"read":[["x"]]}})",
                           R"({"a":{"storage":"f","since":1}})"}) {
    EXPECT_FALSE(DecodeReadTables(json).ok()) << json;
  }
}

}  // namespace
}  // namespace walduct::snapshot
