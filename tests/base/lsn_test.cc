#include "base/lsn.h"

#include <gtest/gtest.h>

namespace walduct {
namespace {

TEST(Lsn, ReadsAndPrintsAsPostgresDoes) {
  for (const char* text : {"0/0", "0/1", "16/B374D848", "FFFFFFFF/FFFFFFFF", "1/0"}) {
    const auto lsn = Lsn::Parse(text);
    ASSERT_TRUE(lsn.ok()) << lsn.status();
    EXPECT_EQ(lsn->ToString(), text);
  }
  EXPECT_EQ(Lsn::Parse("16/b374d848")->value(), 0x16B374D848u);
}

TEST(Lsn, RefusesWhatIsNoLsn) {
  for (const char* text : {"", "/", "0", "0/", "/0", "0/0/0", "123456789/0", "0/123456789", "0/G",
                           "-1/0", " 0/0", "0/0 ", "+1/0", "0x1/0"}) {
    EXPECT_EQ(Lsn::Parse(text).status().code(), absl::StatusCode::kInvalidArgument)
        << "'" << text << "'";
  }
}

TEST(Lsn, OrdersAsABareNumber) {
  EXPECT_LT(Lsn(0xFFFFFFFF), Lsn(0x100000000));
  EXPECT_EQ(Lsn(5), Lsn(5));
}

TEST(Lsn, ZeroIsNoPosition) {
  EXPECT_FALSE(Lsn().valid());
  EXPECT_TRUE(Lsn(1).valid());
}

}  // namespace
}  // namespace walduct
