#include "sink/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kafka/producer.h"

namespace walduct::sink {
namespace {

constexpr TolerateTopics kNone = {};
constexpr TolerateTopics kBoth = {.missing = true, .denied = true};
constexpr size_t kNever = std::numeric_limits<size_t>::max();

absl::Status TooLarge() {
  return Error(absl::StatusCode::kInvalidArgument, "record_too_large", "too large", "raise it");
}
absl::Status Missing() {
  return Error(absl::StatusCode::kFailedPrecondition, "topic_missing", "no topic", "create it");
}
absl::Status Denied() {
  return Error(absl::StatusCode::kPermissionDenied, "topic_authorization_failed", "no", "grant");
}
kafka::FailedBatch Batch(uint64_t records, size_t bytes, size_t largest) {
  return {.topic = "t", .records = records, .bytes = bytes, .largest = largest};
}

TEST(Refusals, ABatchThatIsTooLargeIsHalvedAndItsLargeRecordsGoAlone) {
  Refusals refusals;
  EXPECT_EQ(refusals.Find("t"), nullptr);
  EXPECT_EQ(refusals.batch_bytes(), 0u);
  const absl::Status again =
      refusals.Learn(TooLarge(), Batch(3, 6000, 5000), kNone, absl::ZeroDuration());
  EXPECT_EQ(ErrorReason(again), "batch_refused");
  EXPECT_THAT(std::string(again.message()),
              testing::HasSubstr("3 records, whose keys and values are 6000 bytes together, the "
                                 "largest of 5000 (headers "))
      << "the number is not that of the limit";
  EXPECT_TRUE(absl::IsUnavailable(again));
  EXPECT_EQ(refusals.batch_bytes(), 3000u);
  EXPECT_EQ(refusals.Find("t")->alone_from, 3000u);
  EXPECT_EQ(refusals.Find("other"), nullptr);
  refusals.Learn(TooLarge(), Batch(2, 2800, 1400), kNone, absl::ZeroDuration()).IgnoreError();
  EXPECT_EQ(refusals.batch_bytes(), 1400u);
  refusals.Learn(TooLarge(), Batch(1, 900, 900), kNone, absl::ZeroDuration()).IgnoreError();
  EXPECT_EQ(refusals.Find("t")->alone_from, 900u);
  EXPECT_EQ(refusals.batch_bytes(), 1400u) << "one record says nothing about batches";
}

TEST(Refusals, HalvingComesToAnEnd) {
  Refusals refusals;
  kafka::FailedBatch batch = Batch(1000, 1 << 20, 1 << 10);
  int rounds = 0;
  while (refusals.Find("t") == nullptr || refusals.Find("t")->alone_from > 0) {
    refusals.Learn(TooLarge(), batch, kNone, absl::ZeroDuration()).IgnoreError();
    batch.bytes = refusals.batch_bytes();
    if (batch.bytes <= 1) batch = Batch(1, 0, 0);
    ASSERT_LT(++rounds, 30);
  }
  EXPECT_EQ(refusals.Learn(TooLarge(), batch, kNone, absl::ZeroDuration()), TooLarge());
}

TEST(Refusals, WithoutReportsBatchesBecomeSmallerToo) {
  Refusals refusals;
  EXPECT_EQ(ErrorReason(refusals.LearnUnreported(TooLarge(), 6000, {"t"})), "batch_refused");
  EXPECT_EQ(refusals.batch_bytes(), 3000u);
  EXPECT_EQ(refusals.Find("t"), nullptr) << "it may be another";
  int rounds = 0;
  while (ErrorReason(refusals.LearnUnreported(TooLarge(), 0, {"t"})) == "batch_refused")
    ASSERT_LT(++rounds, 30);
  EXPECT_EQ(refusals.batch_bytes(), 1u);
}

TEST(Refusals, WithoutReportsRecordsOfAllTopicsAreLookedForOneByOne) {
  Refusals refusals;
  const absl::Status refused =
      Error(absl::StatusCode::kInvalidArgument, "record_refused", "no key", "");
  EXPECT_EQ(ErrorReason(refusals.LearnUnreported(refused, 6000, {"t", "u"})), "batch_refused");
  EXPECT_GT(refusals.Find("u")->alone_left, 0u);
  EXPECT_EQ(refusals.LearnUnreported(refused, 6000, {"t", "u"}), refused) << "nothing is learnt";
  EXPECT_EQ(refusals.LearnUnreported(Missing(), 6000, {"t"}), Missing());
}

TEST(Refusals, ARecordRefusedForItsContentIsLookedForOneByOne) {
  Refusals refusals;
  const absl::Status error =
      Error(absl::StatusCode::kInvalidArgument, "record_refused", "no key", "give it one");
  EXPECT_EQ(ErrorReason(refusals.Learn(error, Batch(9, 900, 100), kNone, absl::ZeroDuration())),
            "batch_refused");
  Refusals::Topic& topic = *refusals.Find("t");
  const uint64_t all = topic.alone_left;
  EXPECT_GT(all, 9u);
  EXPECT_EQ(topic.alone_from, kNever);
  EXPECT_TRUE(refusals.Judge(absl::OkStatus(), "t", kNone, absl::ZeroDuration()).ok());
  EXPECT_EQ(topic.alone_left, all - 1);
  EXPECT_EQ(refusals.Judge(error, "t", kNone, absl::ZeroDuration()), error);
  EXPECT_EQ(topic.alone_left, all) << "where one was there may be more";
}

TEST(Refusals, ATopicThatIsMissingBreaksUnlessItIsTolerated) {
  Refusals refusals;
  for (const absl::Status& error : {Missing(), Denied()}) {
    EXPECT_EQ(refusals.Learn(error, Batch(1, 1, 1), kNone, absl::ZeroDuration()), error);
    EXPECT_EQ(refusals.Judge(error, "u", kNone, absl::ZeroDuration()), error);
    EXPECT_EQ(ErrorReason(refusals.Learn(error, Batch(1, 1, 1), kBoth, absl::Seconds(5))),
              "batch_refused");
    const Refusals::Topic& topic = *refusals.Find("t");
    EXPECT_TRUE(absl::IsInvalidArgument(topic.refused));
    EXPECT_EQ(ErrorReason(topic.refused), ErrorReason(error));
    EXPECT_EQ(topic.refused_until, absl::Seconds(65));
    EXPECT_TRUE(refusals.Judge(absl::OkStatus(), "t", kBoth, absl::Seconds(70)).ok());
    EXPECT_TRUE(topic.refused.ok());
  }
}

TEST(Refusals, WhatIsNotOfRecordsIsNotTouched) {
  Refusals refusals;
  const absl::Status away = absl::UnavailableError("broker away");
  EXPECT_EQ(refusals.Learn(away, Batch(1, 1, 1), kBoth, absl::ZeroDuration()), away);
  EXPECT_EQ(refusals.Learn(TooLarge(), {}, kBoth, absl::ZeroDuration()), TooLarge());
  EXPECT_EQ(refusals.Judge(away, "t", kBoth, absl::ZeroDuration()), away);
}

// The next producer cannot see it any more.
TEST(Refusals, WhatHasLostRecordsIsKeptWhateverBreaksTheSink) {
  Refusals refusals;
  (*refusals.acked())["y"].lost = true;
  refusals.Note(TooLarge(), "x");
  EXPECT_THAT(refusals.deleted(), testing::ElementsAre("y"));
  EXPECT_FALSE((*refusals.acked())["y"].lost) << "it is noted once";
  (*refusals.acked())["z"].lost = true;
  refusals.Note(Error(absl::StatusCode::kUnavailable, "topic_deleted", "gone", ""), "x");
  EXPECT_THAT(refusals.deleted(), testing::ElementsAre("x", "y", "z"));
}

}  // namespace
}  // namespace walduct::sink
