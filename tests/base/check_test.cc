#include "base/check.h"

#include <gtest/gtest.h>

namespace walduct {
namespace {

TEST(CheckDeathTest, ABrokenInvariantEndsTheProcessAndSaysWhere) {
  const int sent = 2;
  const int acknowledged = 3;
  EXPECT_DEATH(CHECK(acknowledged <= sent),
               "check_test.cc:.*broken invariant: acknowledged <= sent");
}

TEST(Check, EvaluatesItsConditionOnce) {
  int evaluated = 0;
  CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace walduct
