// How workers of a group sign. The signatures are those of openssl:
//   printf '[{"a":"b"}]' | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f -binary | base64
#include "access/session_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/escaping.h"

namespace walduct::access {
namespace {

using enum SignatureVerdict;
using testing::IsEmpty;
using testing::SizeIs;

constexpr absl::string_view kBody = R"([{"a":"b"}])";

class SetClock final : public Clock {
 public:
  absl::Time Now() override { return now; }
  absl::Duration Monotonic() override { return now - absl::FromUnixSeconds(1'000); }
  absl::Time now = absl::FromUnixSeconds(1'000'000);
};

std::string BytesFrom(char first) {
  std::string bytes(32, '\0');
  for (char& byte : bytes) byte = first++;
  return bytes;
}

class SessionKeysTest : public testing::Test {
 protected:
  SessionKey Key(char first) {
    return {.bytes = BytesFrom(first), .algorithm = "HmacSHA256", .created = clock_.now};
  }
  Signature SignedBy(char first, absl::string_view text = kBody) {
    return {.algorithm = "HmacSHA256",
            .value = absl::Base64Escape(*Mac("HmacSHA256", BytesFrom(first), text))};
  }

  SetClock clock_;
  SessionKeys keys_{{}, clock_};
};

TEST(MacTest, IsThatOfOtherTools) {
  const std::pair<const char*, const char*> expected[] = {
      {"HmacSHA1", "jjpl6CSTd6XoLM8PBWGhNkBJrp8="},
      {"HmacSHA224", "hcDXriL+duRT/waSroN3Lb+NAEa97V4AoxMTdg=="},
      {"HmacSHA256", "Eroe1tB3QaSe5EJ0n/U/3E2UQZRh4D5G73yb9AU1xkM="},
      {"HmacSHA384", "mGbLiEgFmb0/8P/30EYYyizsa7iwzNB1EsgF0ckDGEbECTWV33lla6KmpTFetThG"},
      {"HmacSHA512",
       "e9iBgPCMpzQiuIVywfrFCrCnHzZhwbDZ91zz9Mq+1waA5KgPsqUd5P1Nl9JRe7xEHg7YpXmpATp6YrVo+z9tog=="},
  };
  ASSERT_EQ(MacNames().size(), std::size(expected));
  for (const auto& [name, signature] : expected)
    EXPECT_EQ(absl::Base64Escape(*Mac(name, BytesFrom(0), kBody)), signature) << name;
  EXPECT_FALSE(Mac("HmacMD5", "key", "text").has_value());
  EXPECT_EQ(KeyBytes("HmacSHA256"), 32u);
  EXPECT_EQ(KeyBytes("HmacSHA1"), 64u);
  EXPECT_EQ(KeyBytes("none"), 0u);
}

TEST_F(SessionKeysTest, WhatIsSignedIsTakenAndNothingElse) {
  EXPECT_THAT(keys_.Sign(kBody), IsEmpty());
  EXPECT_EQ(keys_.Check(kBody, SignedBy(0)), kNoKey);
  keys_.Take(Key(0), /*news=*/true);
  ASSERT_THAT(keys_.Sign(kBody), SizeIs(1));
  EXPECT_EQ(keys_.Sign(kBody)[0].value, "Eroe1tB3QaSe5EJ0n/U/3E2UQZRh4D5G73yb9AU1xkM=");
  EXPECT_EQ(keys_.Check(kBody, keys_.Sign(kBody)[0]), kRight);
  EXPECT_EQ(keys_.Check("[]", keys_.Sign(kBody)[0]), kWrong);
  EXPECT_EQ(keys_.Check(kBody, SignedBy(1)), kWrong);
  EXPECT_EQ(keys_.Check(kBody, {.algorithm = "HmacSHA256", .value = "###"}), kWrong);
  EXPECT_EQ(keys_.Check(kBody, {.algorithm = "HmacSHA256", .value = "Eroe"}), kWrong);
  EXPECT_EQ(keys_.Check(kBody, {.algorithm = "HmacSHA256", .value = ""}), kMissing);
  EXPECT_EQ(keys_.Check(kBody, {.algorithm = "", .value = "Eroe"}), kMissing);
  // One that exists, and is not among those that are configured.
  EXPECT_EQ(keys_.Check(kBody, {.algorithm = "HmacSHA512", .value = "Eroe"}), kUnknownAlgorithm);
}

TEST_F(SessionKeysTest, TheKeyBeforeIsTakenForAMinute) {
  keys_.Take(Key(0), true);
  clock_.now += absl::Hours(1);
  keys_.Take(Key(1), true);
  // Others may not have the new one yet; who has no other is asked with it.
  ASSERT_THAT(keys_.Sign(kBody), SizeIs(2));
  EXPECT_EQ(keys_.Sign(kBody)[0].value, SignedBy(0).value);
  EXPECT_EQ(keys_.Sign(kBody)[1].value, SignedBy(1).value);
  clock_.now += absl::Seconds(5);
  ASSERT_THAT(keys_.Sign(kBody), SizeIs(1));
  EXPECT_EQ(keys_.Sign(kBody)[0].value, SignedBy(1).value);
  clock_.now += absl::Seconds(54);
  EXPECT_EQ(keys_.Check(kBody, SignedBy(0)), kRight);
  clock_.now += absl::Seconds(1);
  EXPECT_EQ(keys_.Check(kBody, SignedBy(0)), kWrong);
  EXPECT_EQ(keys_.Check(kBody, SignedBy(1)), kRight);
}

// What a topic held before this worker was started.
TEST_F(SessionKeysTest, OldKeysOfATopicAreNotTaken) {
  keys_.Take(Key(0), /*news=*/false);
  keys_.Take(Key(1), /*news=*/false);
  EXPECT_EQ(keys_.Check(kBody, SignedBy(0)), kWrong);
  EXPECT_EQ(keys_.Check(kBody, SignedBy(1)), kRight);
}

TEST_F(SessionKeysTest, AKeyIsDueAsItIsInConnect) {
  EXPECT_TRUE(keys_.IsDue());
  keys_.Take(Key(0), true);
  EXPECT_FALSE(keys_.IsDue());
  clock_.now += absl::Hours(1) - absl::Milliseconds(1);
  EXPECT_FALSE(keys_.IsDue());
  clock_.now += absl::Milliseconds(1);
  EXPECT_TRUE(keys_.IsDue());
  const SessionKey made = *keys_.Make();
  EXPECT_THAT(made.bytes, SizeIs(32));
  EXPECT_NE(made.bytes, keys_.Make()->bytes);
  EXPECT_EQ(made.created, clock_.now);
  EXPECT_FALSE(keys_.IsDue());  // one a second at most
  keys_.Take(made, true);
  clock_.now += absl::Seconds(1);
  EXPECT_FALSE(keys_.IsDue());
  keys_.BeLost();
  EXPECT_TRUE(keys_.IsDue());
  EXPECT_THAT(keys_.Sign(kBody), testing::Not(IsEmpty()));
  keys_.Take(made, true);
  EXPECT_FALSE(keys_.IsDue());
}

TEST_F(SessionKeysTest, AKeyOfAnotherKindIsDue) {
  SessionKey other = Key(0);
  other.algorithm = "HmacSHA1";
  keys_.Take(other, true);
  EXPECT_TRUE(keys_.IsDue());
  other = Key(1);
  other.bytes.resize(16);
  keys_.Take(other, true);
  EXPECT_TRUE(keys_.IsDue());
  other = Key(2);
  other.created += absl::Hours(24);  // by a clock that was wrong
  keys_.Take(other, true);
  EXPECT_TRUE(keys_.IsDue());
}

// Each of a few seconds: all that are younger than a minute are taken, and no more are kept.
TEST_F(SessionKeysTest, KeysThatChangeFast) {
  for (char i = 0; i < 30; ++i) {
    keys_.Take(Key(static_cast<char>(i * 4)), true);
    clock_.now += absl::Seconds(3);
  }
  EXPECT_EQ(keys_.Check(kBody, SignedBy(29 * 4)), kRight);
  EXPECT_EQ(keys_.Check(kBody, SignedBy(11 * 4)), kRight);
  EXPECT_EQ(keys_.Check(kBody, SignedBy(8 * 4)), kWrong);
}

}  // namespace
}  // namespace walduct::access
