#include "encode/records/instant_digits.h"

#include <gtest/gtest.h>

#include <string>

namespace walduct::encode {
namespace {

std::string Printed(const InstantDigits& digits, size_t without) {
  return std::string(digits.WithoutLast(without));
}

TEST(InstantDigitsTest, CoarserUnitsAreTheSameDigits) {
  const InstantDigits now(1795224448748743940);
  EXPECT_EQ(Printed(now, 0), "1795224448748743940");
  EXPECT_EQ(Printed(now, 3), "1795224448748743");
  EXPECT_EQ(Printed(now, 6), "1795224448748");
  // Not where the coarser unit has other digits.
  EXPECT_EQ(Printed(InstantDigits(999), 3), "");
  EXPECT_EQ(Printed(InstantDigits(-1), 3), "");
  EXPECT_EQ(Printed(InstantDigits(-1), 0), "-1");
}

// Whatever was printed before, the digits are those of a new one.
TEST(InstantDigitsTest, WhatWasPrintedBeforeDoesNotShow) {
  InstantDigits digits;
  for (const int64_t instant :
       {int64_t{0}, int64_t{-1}, int64_t{7}, int64_t{999'999'999}, int64_t{1'000'000'000},
        int64_t{1'000'000'001}, int64_t{1'999'999'999}, int64_t{1'010'000'000},
        int64_t{2'000'000'000}, int64_t{12'345'678'901'234}, int64_t{12'345'000'000'000},
        int64_t{12'345'678'000'001}, int64_t{1795224448748743940}, int64_t{1795224448999999999},
        int64_t{1795224449000000000}, int64_t{-1795224449000000000}, INT64_MAX, INT64_MIN + 1}) {
    digits.Set(instant);
    EXPECT_EQ(digits.instant(), instant);
    for (const size_t without : {0, 3, 6})
      EXPECT_EQ(Printed(digits, without), Printed(InstantDigits(instant), without)) << instant;
  }
}

}  // namespace
}  // namespace walduct::encode
