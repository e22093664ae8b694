// Positions in outbox tables, as they are stored.
#include "poll/position/table_position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace walduct::poll {
namespace {

TEST(TablePositionTest, IsReadAsItWasWritten) {
  const TablePositions positions = {
      {"\"public\".\"outbox\"", {.seen = "748:752:748,750"}},
      {"\"a\".\"b \"\"c\"", {.seen = "1:1:", .window = "9:12:9", .last = "-7"}}};
  const auto read = DecodePositions(EncodePositions(positions));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, positions);
  EXPECT_EQ(EncodePositions({{"t", {.seen = "1:1:"}}}), R"("{\"t\":{\"seen\":\"1:1:\"}}")");
}

TEST(TablePositionTest, WhatIsNoPositionIsRefused) {
  for (const absl::string_view member :
       {"", "7", "\"7\"", R"({"t":{"seen":"1:1:"}})", R"("{\"t\":7}")", R"("{\"t\":{}}")",
        R"("{\"t\":{\"seen\":\"x\"}}")", R"("{\"t\":{\"seen\":\"1:1:\",\"window\":\"2:2:\"}}")"})
    EXPECT_EQ(ErrorReason(DecodePositions(member).status()), "outbox_position_malformed") << member;
}

TEST(TablePositionTest, ASnapshotThatEndsBeforeItBeginsIsMended) {
  EXPECT_EQ(ReadableSnapshot("2948454:2948453:"), "2948454:2948454:");
  EXPECT_EQ(ReadableSnapshot("748:752:748,750"), "748:752:748,750");
  EXPECT_EQ(EndOf("748:752:748,750"), 752);
  EXPECT_EQ(EndOf("nothing"), 0);
}

}  // namespace
}  // namespace walduct::poll
