#include "base/swept_map.h"

#include <gtest/gtest.h>

namespace walduct {
namespace {

TEST(SweptMap, ForgetsWhatNobodyLooksUp) {
  SweptMap<int, int> map(4);
  for (int i = 0; i < 1000; ++i) map.Add(i) = i;
  EXPECT_LE(map.size(), 8u);
  EXPECT_EQ(map.Find(0), nullptr);
  ASSERT_NE(map.Find(999), nullptr);
  EXPECT_EQ(*map.Find(999), 999);
}

TEST(SweptMap, KeepsWhatIsInUseHoweverMuchItIs) {
  SweptMap<int, int> map(4);
  for (int i = 0; i < 100; ++i) {
    map.Add(i) = i;
    for (int used = 0; used <= i; ++used) ASSERT_NE(map.Find(used), nullptr) << used << " of " << i;
  }
  EXPECT_EQ(map.size(), 100u);
}

int Missed(SweptMap<int, int>& map, int keys, size_t weight = 1) {
  int missed = 0;
  for (int key = 0; key < keys; ++key) {
    if (map.Find(key) != nullptr) continue;
    ++missed;
    map.Add(key, weight) = key;
  }
  return missed;
}

TEST(SweptMap, KeepsWhatComesByTurns) {
  SweptMap<int, int> map(4);
  int turns = 1;
  for (; Missed(map, 1000) > 0; ++turns) ASSERT_LT(turns, 5);
  EXPECT_EQ(map.size(), 1000u);
  for (int key = 0; key < 1000; ++key) EXPECT_EQ(*map.Find(key), key);
}

TEST(SweptMap, DoesNotKeepTensOfThousandsByTurns) {
  SweptMap<int, int> map(4);
  for (int turn = 0; turn < 5; ++turn) Missed(map, 20'000);
  EXPECT_LE(map.size(), 8u);
  // When they are fewer again, they stay.
  for (int turn = 0; turn < 5; ++turn) Missed(map, 1000);
  EXPECT_LE(map.size(), 8u) << "as they come again, more than thousands may";
  for (int i = 50'000; i < 50'100; ++i) map.Add(i) = i;
  for (int turn = 0; turn < 5; ++turn) Missed(map, 1000);
  EXPECT_EQ(Missed(map, 1000), 0);
}

// Large ones: as many as the limit holds.
TEST(SweptMap, WhatComesByTurnsIsKeptByItsWeight) {
  for (const size_t weight : {1, 10}) {
    SweptMap<int, int> map(4, 5000);
    for (int turn = 0; turn < 5; ++turn) Missed(map, 1000, weight);
    if (weight == 1) {
      EXPECT_EQ(map.size(), 1000u);
    } else {
      EXPECT_LE(map.size(), 8u);
    }
  }
}

TEST(SweptMap, ForgetsWhatCameByTurnsOnce) {
  SweptMap<int, int> map(4);
  for (int turn = 0; turn < 5; ++turn) Missed(map, 1000);
  for (int i = 1000; i < 20'000; ++i) map.Add(i) = i;
  EXPECT_LE(map.size(), 4000u);
  EXPECT_EQ(map.Find(0), nullptr);
}

TEST(SweptMap, KeysOfWhatWasForgottenAreForgottenToo) {
  SweptMap<int, int> map(4);
  for (int i = 0; i < 200'000; ++i) map.Add(i) = i;
  EXPECT_LE(map.size(), 8u);
  // One that is not remembered is like a new one.
  for (int i = 0; i < 100; ++i) map.Add(i) = i;
  EXPECT_LE(map.size(), 8u);
}

}  // namespace
}  // namespace walduct
