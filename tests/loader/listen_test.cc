#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ListenTest : public LoadFixture {};

TEST_F(ListenTest, NothingListensUnlessAskedFor) {
  EXPECT_FALSE(Load(Minimal()).listen.address.has_value());
}

TEST_F(ListenTest, HostAndPort) {
  const LoadResult result = LoadWith("walduct.listen=127.0.0.1:8083");
  EXPECT_THAT(result.errors, IsEmpty());
  ASSERT_TRUE(result.listen.address.has_value());
  EXPECT_EQ(result.listen.address->ToString(), "127.0.0.1:8083");
}

TEST_F(ListenTest, WhatIsNoAddressIsRefused) {
  EXPECT_THAT(LoadWith("walduct.listen=8083").errors,
              ElementsAre(HasSubstr("property 'walduct.listen': value '8083' has no port")));
}

}  // namespace
}  // namespace walduct::loader
