#include "compare/matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::compare {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array<Extent, 2> kWhole = {Extent{.first = 1, .last = 1000},
                                          Extent{.first = 1, .last = 1000}};

std::string Change(const char* op, int lsn, const char* value, int ts = 1) {
  return absl::StrCat(R"({"after":{"v":")", value, R"("},"source":{"ts_ms":)", lsn, R"(,"lsn":)",
                      lsn, R"(,"txId":7,"sequence":"[null,\")", lsn, R"(\"]"},"op":")", op,
                      R"(","ts_ms":)", ts, "}");
}

class MatcherTest : public ::testing::Test {
 protected:
  absl::Status Add(Side side, std::optional<absl::string_view> key,
                   std::optional<absl::string_view> value) {
    const kafka::TopicRecord record{.key = key, .value = value, .headers = ""};
    const absl::StatusOr<Identity> identity = sides_[side == Side::kLeft ? 0 : 1].Identify(record);
    if (!identity.ok()) return identity.status();
    return matcher_->Add(side, *identity, "here");
  }
  void Left(std::optional<absl::string_view> key, std::optional<absl::string_view> value) {
    EXPECT_EQ(Add(Side::kLeft, key, value), absl::OkStatus());
  }
  void Right(std::optional<absl::string_view> key, std::optional<absl::string_view> value) {
    EXPECT_EQ(Add(Side::kRight, key, value), absl::OkStatus());
  }

  std::vector<std::string> ignored_;
  std::array<Identifier, 2> sides_ = {Identifier(&ignored_), Identifier(&ignored_)};
  std::optional<Matcher> matcher_{std::in_place, kWhole, Matcher::Limits{}};
};

TEST_F(MatcherTest, TimesOfTheRunAreMasked) {
  Left("k", Change("c", 10, "a", 1));
  Right("k", Change("c", 10, "a", 2));
  const Result result = matcher_->Finish();
  EXPECT_EQ(result.equal, 1);
  EXPECT_TRUE(result.same());
}

TEST_F(MatcherTest, WhatDiffersIsNamed) {
  Right("k", Change("c", 10, "b"));
  Left("k", Change("c", 10, "a"));
  const Result result = matcher_->Finish();
  EXPECT_EQ(result.different, 1);
  EXPECT_THAT(result.examples,
              ElementsAre(AllOf(HasSubstr("key k lsn 0/A tx 7"), HasSubstr(R"(after.v: "a" | "b")"),
                                Not(HasSubstr("ts_ms")))));
}

TEST_F(MatcherTest, WhatOnlyOneSideHas) {
  Left("k", Change("c", 10, "a"));
  Left("k", Change("u", 20, "b"));
  Right("k", Change("u", 20, "b"));
  Right("k", Change("u", 30, "c"));
  const Result result = matcher_->Finish();
  EXPECT_EQ(result.equal, 1);
  EXPECT_EQ(result.missing, 1);
  EXPECT_EQ(result.extra, 1);
  EXPECT_THAT(result.examples,
              ElementsAre(HasSubstr("missing key k lsn 0/A"), HasSubstr("extra key k lsn 0/1E")));
}

TEST_F(MatcherTest, OutsideOfTheOthersExtentNothingIsMissing) {
  matcher_.emplace(
      std::array<Extent, 2>{Extent{.first = 1, .last = 50}, Extent{.first = 20, .last = 40}},
      Matcher::Limits{});
  for (const int lsn : {10, 20, 40, 50}) Left("k", Change("u", lsn, "a"));
  for (const int lsn : {20, 40}) Right("k", Change("u", lsn, "a"));
  const Result result = matcher_->Finish();
  EXPECT_TRUE(result.same());
  EXPECT_EQ(result.equal, 2);
  EXPECT_EQ(result.before, 1);
  EXPECT_EQ(result.after, 1);
}

TEST_F(MatcherTest, WhatIsDeliveredTwiceIsNoDifference) {
  for (int i = 0; i < 2; ++i) Left("k", Change("c", 10, "a"));
  Right("k", Change("c", 10, "a"));
  Right("k", Change("c", 10, "a"));
  const Result result = matcher_->Finish();
  EXPECT_TRUE(result.same());
  EXPECT_EQ(result.equal, 1);
  EXPECT_EQ(result.repeated, 2);
}

TEST_F(MatcherTest, ATombstoneBelongsToItsDelete) {
  Left("k", Change("d", 10, "a"));
  Left("k", std::nullopt);
  Right("k", Change("d", 10, "a"));
  Result result = matcher_->Finish();
  EXPECT_EQ(result.missing, 1);
  EXPECT_THAT(result.examples, ElementsAre(HasSubstr("tombstone")));
}

TEST_F(MatcherTest, RowsWithoutKeyAreCounted) {
  for (int i = 0; i < 3; ++i) Left(std::nullopt, Change("c", 10, "a"));
  for (int i = 0; i < 2; ++i) Right(std::nullopt, Change("c", 10, "a"));
  const Result result = matcher_->Finish();
  EXPECT_EQ(result.equal, 2);
  EXPECT_EQ(result.missing, 1);
  EXPECT_EQ(result.repeated, 0);
}

TEST_F(MatcherTest, RowsOfSnapshotsHaveNoPositionOfTheirOwn) {
  Left("k", Change("r", 10, "a"));
  Left("l", Change("r", 10, "a"));
  Right("k", Change("r", 99, "a"));
  const Result result = matcher_->Finish();
  EXPECT_EQ(result.equal, 1);
  EXPECT_EQ(result.missing, 1);
}

TEST_F(MatcherTest, AnOlderSnapshotOfOneSideIsBefore) {
  Left("k", Change("r", 10, "a"));
  EXPECT_EQ(matcher_->Finish().before, 1);
}

TEST_F(MatcherTest, HeadersAreCompared) {
  const auto add = [this](Side side, const std::string& headers) {
    const std::string value = Change("c", 10, "a");
    const kafka::TopicRecord record{.key = "k", .value = value, .headers = headers};
    EXPECT_EQ(matcher_->Add(side, *sides_[0].Identify(record), "here"), absl::OkStatus());
  };
  add(Side::kLeft, "__debezium.context.runId=1\nop=c\n");
  add(Side::kRight, "__debezium.context.runId=2\nop=d\n");
  const Result result = matcher_->Finish();
  EXPECT_EQ(result.different, 1);
  EXPECT_THAT(result.examples,
              ElementsAre(AllOf(HasSubstr("; headers.op: c | d"), Not(HasSubstr("runId")))));
}

TEST_F(MatcherTest, IgnoredFields) {
  ignored_ = {"after"};
  Left("k", Change("c", 10, "a"));
  Right("k", Change("c", 10, "b"));
  EXPECT_EQ(matcher_->Finish().equal, 1);
}

TEST_F(MatcherTest, TextThatIsNoJsonIsComparedWhole) {
  Left("k", "plain");
  Right("k", "plain");
  Right("k", "other");
  const Result result = matcher_->Finish();
  EXPECT_EQ(result.equal, 1);
  EXPECT_EQ(result.extra, 1);
}

TEST_F(MatcherTest, FormatsOfARegistryAreRefused) {
  const absl::Status refused = Add(Side::kLeft, "k", absl::string_view("\0\0\0\0\1x", 6));
  EXPECT_EQ(ErrorReason(refused), "format_not_compared");
  EXPECT_EQ(ErrorReason(Add(Side::kLeft, absl::string_view("\0\0\0\0\1x", 6), "{}")),
            "format_not_compared");
}

// What is from before the other's beginning gives way; what is missing does not.
TEST_F(MatcherTest, WhatWaitsIsBounded) {
  matcher_.emplace(
      std::array<Extent, 2>{Extent{.first = 1, .last = 5000}, Extent{.first = 1000, .last = 5000}},
      Matcher::Limits{.waiting = 100});
  for (int lsn = 1; lsn < 1000; ++lsn) Left("k", Change("u", lsn, "a"));
  absl::Status full;
  int added = 0;
  for (int lsn = 1000; full.ok() && lsn < 2000; ++lsn, ++added)
    full = Add(Side::kLeft, "k", Change("u", lsn, "a"));
  EXPECT_EQ(ErrorReason(full), "comparison_too_far_apart");
  EXPECT_GT(added, 80);
  EXPECT_LE(added, 102);
  EXPECT_GT(matcher_->Finish().before, 900);
}

TEST_F(MatcherTest, WithoutRoomForTextsDifferencesAreStillFound) {
  matcher_.emplace(kWhole, Matcher::Limits{.text_bytes = 0});
  Left("k", Change("c", 10, "a"));
  Right("k", Change("c", 10, "b"));
  Left("l", Change("c", 11, "a"));
  Right("l", Change("c", 11, "a"));
  const Result result = matcher_->Finish();
  EXPECT_EQ(result.different, 1);
  EXPECT_EQ(result.equal, 1);
  EXPECT_THAT(result.examples, ElementsAre(HasSubstr("different key k")));
}

}  // namespace
}  // namespace walduct::compare
