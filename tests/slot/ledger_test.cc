#include "slot/duties/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::slot {
namespace {

using event::OffsetMembers;
using testing::IsEmpty;

using Author = Ledger::Author;

Ledger::Members Just(OffsetMembers members) {
  return [members = std::move(members)] { return members; };
}

TEST(LedgerTest, AnAuthorReplacesAllThatItWroteAndNothingElse) {
  Ledger ledger;
  EXPECT_THAT(ledger.At(0), IsEmpty());
  ledger.Add(Author::kIncremental, Just({{"a", "1"}, {"b", "1"}}));
  ledger.Add(Author::kNewTables, Just({{"t", "1"}}));
  EXPECT_EQ(ledger.At(0), (OffsetMembers{{"a", "1"}, {"b", "1"}, {"t", "1"}}));
  const uint64_t next = ledger.Append(Author::kIncremental, Just({{"a", "2"}}));
  EXPECT_EQ(ledger.At(next), (OffsetMembers{{"a", "2"}, {"t", "1"}}));
  EXPECT_EQ(ledger.At(ledger.Append(Author::kIncremental, nullptr)), (OffsetMembers{{"t", "1"}}));
}

TEST(LedgerTest, APositionHasWhatWasWrittenUpToItsMark) {
  Ledger ledger;
  ledger.Add(Author::kIncremental, Just({{"a", "0"}}));
  const uint64_t first = ledger.Append(Author::kReadRecord, Just({{"r", "1"}}));
  const uint64_t second = ledger.Append(Author::kIncremental, Just({{"a", "2"}}));
  EXPECT_LT(first, second);
  EXPECT_EQ(ledger.At(0), (OffsetMembers{{"a", "0"}}));
  EXPECT_EQ(ledger.At(first), (OffsetMembers{{"a", "0"}, {"r", "1"}}));
  EXPECT_EQ(ledger.At(first), (OffsetMembers{{"a", "0"}, {"r", "1"}})) << "a save is tried again";
  EXPECT_EQ(ledger.At(second + 1), (OffsetMembers{{"a", "2"}, {"r", "1"}}));
}

// What is asked for is known with the request that is kept under the same mark, not before.
TEST(LedgerTest, WhatIsAddedGoesWithTheNewestMark) {
  Ledger ledger;
  const uint64_t asked = ledger.Append(Author::kIncremental, Just({{"a", "1"}}));
  ledger.Add(Author::kNewTables, Just({{"t", "1"}}));
  EXPECT_THAT(ledger.At(asked - 1), IsEmpty());
  EXPECT_EQ(ledger.At(asked), (OffsetMembers{{"a", "1"}, {"t", "1"}}));
  ledger.Add(Author::kNewTables, Just({{"t", "2"}}));
  EXPECT_EQ(ledger.At(asked), (OffsetMembers{{"a", "1"}, {"t", "2"}}));
}

TEST(LedgerTest, ARenewedMarkHasAllThatWasThere) {
  Ledger ledger;
  ledger.Add(Author::kNewTables, Just({{"t", "1"}}));
  const uint64_t mark = ledger.Renew();
  EXPECT_GT(mark, 0u);
  EXPECT_EQ(ledger.At(mark), (OffsetMembers{{"t", "1"}}));
  EXPECT_GT(ledger.Append(Author::kTypes, nullptr), mark);
}

TEST(LedgerTest, OneMemberIsAsItIsWhenThePositionIsStored) {
  Ledger ledger;
  std::string text;
  ledger.Add(Author::kTypes, Ledger::One("types", [&] { return text; }));
  EXPECT_THAT(ledger.At(0), IsEmpty()) << "there is none";
  text = "1";
  EXPECT_EQ(ledger.At(0), (OffsetMembers{{"types", "1"}}));
}

}  // namespace
}  // namespace walduct::slot
