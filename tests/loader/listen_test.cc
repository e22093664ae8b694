#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ListenTest : public LoadFixture {};

TEST_F(ListenTest, NothingListensUnlessAskedFor) {
  EXPECT_FALSE(Load(Minimal()).listen.has_value());
}

TEST_F(ListenTest, HostAndPort) {
  const LoadResult result = LoadWith("walduct.listen=127.0.0.1:8083");
  EXPECT_THAT(result.errors, IsEmpty());
  ASSERT_TRUE(result.listen.has_value());
  EXPECT_EQ(result.listen->address.ToString(), "127.0.0.1:8083");
  EXPECT_EQ(result.listen->tls, nullptr);
  EXPECT_EQ(result.access.passwords, nullptr);
}

// The properties of a worker's listeners are those of this one.
TEST_F(ListenTest, HttpsNeedsAKey) {
  EXPECT_THAT(LoadWith("walduct.listen=https://127.0.0.1:8443").errors,
              ElementsAre(HasSubstr("property 'listeners.https.ssl.*'")));
  EXPECT_THAT(LoadWith("walduct.listen=https://8443").errors,
              ElementsAre(HasSubstr("value 'https://8443' has no port")));
}

TEST_F(ListenTest, PasswordsAreThoseOfAWorker) {
  const std::string asks =
      "rest.extension.classes="
      "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension";
  EXPECT_THAT(LoadWith(asks).errors, IsEmpty());
  EXPECT_THAT(LoadWith("walduct.listen=:8083\n" + asks).errors,
              ElementsAre(HasSubstr("property 'walduct.rest.login.config': is required")));
  EXPECT_THAT(LoadWith("walduct.listen=:8083\nrest.extension.classes=org.example.Auth").errors,
              ElementsAre(HasSubstr("property 'rest.extension.classes'")));
  EXPECT_THAT(LoadWith("walduct.listen=:8083\naccess.control.allow.origin=*").errors, IsEmpty());
}

TEST_F(ListenTest, WithoutAListenerTheyAreIdle) {
  const LoadResult result = LoadWith("listeners.https.ssl.keystore.password=hush");
  ASSERT_THAT(result.errors, IsEmpty());
  for (const config::PropertyReport& one : result.properties) {
    if (one.name != "listeners.https.ssl.keystore.password") continue;
    EXPECT_EQ(one.status, config::PropertyStatus::kIgnored);
    EXPECT_THAT(one.note, HasSubstr("walduct.listen"));
    EXPECT_THAT(one.value, testing::Not(HasSubstr("hush")));
    return;
  }
  ADD_FAILURE() << "not reported";
}

TEST_F(ListenTest, WhatIsNoAddressIsRefused) {
  EXPECT_THAT(LoadWith("walduct.listen=8083").errors,
              ElementsAre(HasSubstr("property 'walduct.listen': value '8083' has no port")));
}

}  // namespace
}  // namespace walduct::loader
