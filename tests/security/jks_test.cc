#include "security/jks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "base/error.h"
#include "tests/security/jks_samples.h"

namespace walduct::security {
namespace {

std::string Decoded(absl::string_view base64) {
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(base64, &bytes));
  return bytes;
}

TEST(JksTest, ATrustStoreHoldsCertificates) {
  const auto store = ParseJks(Decoded(kJksTrustStore), "changeit");
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE(store->keys.empty());
  ASSERT_EQ(store->trusted.size(), 1u);
  EXPECT_EQ(store->trusted[0].substr(0, 2), "\x30\x82") << "a certificate, DER";
}

TEST(JksTest, AKeyComesOutWithItsOwnPassword) {
  const auto store = ParseJks(Decoded(kJksKeyStore), "changeit");
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_EQ(store->keys.size(), 1u);
  EXPECT_EQ(store->keys[0].chain, ParseJks(Decoded(kJksTrustStore), "")->trusted);
  const auto key = UnprotectJksKey(store->keys[0].protected_key, "secretkey");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->front(), '\x30');
  EXPECT_EQ(UnprotectJksKey(store->keys[0].protected_key, "changeit"), std::nullopt);
  EXPECT_EQ(UnprotectJksKey("no key", "secretkey"), std::nullopt);
}

TEST(JksTest, TheSealIsCheckedWhenThereIsAPassword) {
  EXPECT_THAT(std::string(ParseJks(Decoded(kJksTrustStore), "wrong").status().message()),
              testing::HasSubstr("password"));
  EXPECT_TRUE(ParseJks(Decoded(kJksTrustStore), "").ok());
}

TEST(JksTest, DamagedStoresAreRefused) {
  const std::string good = Decoded(kJksKeyStore);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(ErrorReason(ParseJks(absl::string_view(good).substr(0, size), "changeit").status()),
              "kafka_store_unreadable")
        << size;
  }
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x80);
    EXPECT_FALSE(ParseJks(bad, "changeit").ok()) << at;
  }
}

}  // namespace
}  // namespace walduct::security
