// The expected hashes were printed by a JVM.
#include "java/hash/hash_code.h"

#include <gtest/gtest.h>

namespace walduct::java {
namespace {

TEST(HashCode, OfAStringIsThatOfItsUtf16) {
  EXPECT_EQ(StringHash(""), 0u);
  EXPECT_EQ(StringHash("s.été"), 107803043u);
  EXPECT_EQ(StringHash("public.𝄞"), 1448640783u) << "a surrogate pair in Java";
}

TEST(HashCode, BucketsDoubleBeyondThreeQuarters) {
  EXPECT_EQ(HashMapBuckets(0), 16u);
  EXPECT_EQ(HashMapBuckets(12), 16u);
  EXPECT_EQ(HashMapBuckets(13), 32u);
  EXPECT_EQ(HashMapBuckets(1, 64), 64u) << "a map never shrinks";
}

}  // namespace
}  // namespace walduct::java
