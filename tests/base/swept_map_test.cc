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

}  // namespace
}  // namespace walduct
