#include "operate/commands/lsn_place.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"

namespace walduct::operate {
namespace {

class LsnPlace : public testing::Test {
 protected:
  static LsnFacts Facts(uint64_t lsn) {
    return {.lsn = Lsn(lsn),
            .wal_end = Lsn(500),
            .received = Lsn(400),
            .stored = Lsn(300),
            .confirmed = Lsn(200),
            .kept_from = Lsn(100)};
  }
  static testing::AssertionResult Says(const LsnFacts& facts, absl::string_view words) {
    const std::string text = ExplainLsn(facts);
    return (absl::StrContains(text, words) ? testing::AssertionSuccess()
                                           : testing::AssertionFailure())
           << text;
  }
};

TEST_F(LsnPlace, EachMarkIncludesItself) {
  EXPECT_TRUE(Says(Facts(200), "0/C8 is confirmed"));
  EXPECT_TRUE(Says(Facts(201), "0/C9 is stored"));
  EXPECT_TRUE(Says(Facts(300), "is stored"));
  EXPECT_TRUE(Says(Facts(301), "is in flight"));
  EXPECT_TRUE(Says(Facts(401), "is behind: the connector has still to read 1 bytes"));
  EXPECT_TRUE(Says(Facts(501), "is not written: the server's WAL ends 1 bytes before it"));
}

TEST_F(LsnPlace, WhatIsNotKeptAnyMore) {
  EXPECT_TRUE(Says(Facts(99), "no longer kept"));
  EXPECT_FALSE(Says(Facts(100), "no longer kept"));
}

TEST_F(LsnPlace, ATransactionCountsWhereItEnds) {
  LsnFacts facts = Facts(199);
  facts.transaction = {.xid = Xid{777}, .record = "Heap INSERT", .commit = Lsn(350)};
  EXPECT_TRUE(Says(facts, "is in flight"));
  EXPECT_TRUE(Says(facts, "transaction 777 (Heap INSERT), committed at 0/15E"));
  facts.transaction->commit.reset();
  EXPECT_TRUE(Says(facts, "whose commit was not found"));
}

TEST_F(LsnPlace, WhatIsStoredWasReceivedThoughTheProcessWasAskedBefore) {
  LsnFacts facts = Facts(301);
  facts.stored = Lsn(450);
  EXPECT_TRUE(Says(facts, "is stored"));
  EXPECT_TRUE(Says(facts, "process received     0/1C2\n"));
  facts.received.reset();
  EXPECT_FALSE(Says(facts, "process received"));
}

TEST_F(LsnPlace, NobodyKnows) {
  EXPECT_TRUE(Says({.lsn = Lsn(7)}, "is unknown"));
  EXPECT_TRUE(Says({.lsn = Lsn(7), .stored = Lsn(3)}, "still to read 4 bytes"));
}

}  // namespace
}  // namespace walduct::operate
