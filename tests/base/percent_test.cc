#include "base/percent.h"

#include <gtest/gtest.h>

namespace walduct {
namespace {

TEST(Percent, EncodesAndDecodes) {
  EXPECT_EQ(DecodePercent("a%2Fb%zz%4"), "a/b%zz%4");
  EXPECT_EQ(EncodePercent("a b/\xC3\xA9"), "a%20b%2F%C3%A9");
  EXPECT_EQ(DecodePercent(EncodePercent("%{}\\?#")), "%{}\\?#");
  EXPECT_EQ(EncodePercent("a.b-c/d", "-_"), "a%2Eb-c%2Fd");
}

}  // namespace
}  // namespace walduct
