#include "kafka/acked/acked_topic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace walduct::kafka {
namespace {

constexpr absl::Duration kSecond = absl::Seconds(1);

TEST(AckedTopic, OffsetsThatRiseAreEachPartitionsOwn) {
  AckedTopic topic;
  EXPECT_TRUE(topic.Rises(2, 100, kSecond));
  EXPECT_TRUE(topic.Rises(0, 7, kSecond));
  EXPECT_TRUE(topic.Rises(1, 0, kSecond));
  EXPECT_TRUE(topic.Rises(0, 8, kSecond));
  EXPECT_TRUE(topic.Rises(2, 5'000, kSecond)) << "markers of transactions, other producers";
  EXPECT_FALSE(topic.Rises(2, 4'999, kSecond));
  EXPECT_FALSE(topic.Rises(0, 8, kSecond));
}

TEST(AckedTopic, ARecordThatWasMadeAfterAReportLiesBehindIt) {
  AckedTopic topic;
  ASSERT_TRUE(topic.Rises(0, 4'031, 10 * kSecond));
  ASSERT_TRUE(topic.Rises(1, 3, 10 * kSecond));
  ASSERT_FALSE(topic.Rises(0, 12, 20 * kSecond));
  const absl::Status lost = topic.Judge("shop.public.a", 0, 12, 15 * kSecond);
  EXPECT_EQ(ErrorReason(lost), "topic_deleted");
  EXPECT_TRUE(absl::IsUnavailable(lost));
  EXPECT_THAT(
      std::string(lost.message()),
      testing::AllOf(testing::HasSubstr("topic shop.public.a has lost records"),
                     testing::HasSubstr("partition 0 gave offset 12 to a record after 4031")));
  EXPECT_TRUE(topic.lost);
  EXPECT_TRUE(topic.Rises(0, 13, 21 * kSecond)) << "it is told once";
  EXPECT_TRUE(topic.Rises(1, 0, 21 * kSecond)) << "of the topic as a whole";
}

TEST(AckedTopic, ATopicOfOurOwnHasNoConsumers) {
  AckedTopic topic;
  ASSERT_TRUE(topic.Rises(0, 4'031, 10 * kSecond));
  ASSERT_FALSE(topic.Rises(0, 12, 20 * kSecond));
  const absl::Status lost = topic.Judge("c-configs", 0, 12, 15 * kSecond);
  EXPECT_THAT(std::string(lost.message()), testing::HasSubstr(kConsumersLose));
  const absl::Status own = OfInternalTopic(lost, "it is written again");
  EXPECT_EQ(ErrorReason(own), "topic_deleted");
  EXPECT_THAT(std::string(own.message()), testing::EndsWith("anew: it is written again"));
  EXPECT_EQ(ErrorHint(own), ErrorHint(lost));
  EXPECT_EQ(OfInternalTopic(absl::UnavailableError("x"), "y"), absl::UnavailableError("x"));
}

TEST(AckedTopic, AReportThatComesLateIsNoLoss) {
  AckedTopic topic;
  ASSERT_TRUE(topic.Rises(0, 20, 10 * kSecond));
  ASSERT_FALSE(topic.Rises(0, 10, 20 * kSecond));
  EXPECT_TRUE(topic.Judge("t", 0, 10, 9 * kSecond).ok()) << "made before the report of 20";
  EXPECT_FALSE(topic.lost);
  EXPECT_TRUE(topic.Rises(0, 21, 20 * kSecond));
  ASSERT_FALSE(topic.Rises(0, 20, 30 * kSecond));
  EXPECT_FALSE(topic.Judge("t", 0, 20, 25 * kSecond).ok());
}

TEST(AckedTopic, AnOffsetIsOneRecords) {
  AckedTopic topic;
  ASSERT_TRUE(topic.Rises(0, 2, 10 * kSecond));
  for (const int64_t offset : {0, 1}) {
    ASSERT_FALSE(topic.Rises(0, offset, 20 * kSecond));
    ASSERT_TRUE(topic.Judge("t", 0, offset, 9 * kSecond).ok());
  }
  ASSERT_FALSE(topic.Rises(0, 2, 20 * kSecond));
  EXPECT_FALSE(topic.Judge("t", 0, 2, 9 * kSecond).ok()) << "all waited while the log was emptied";
}

TEST(AckedTopic, AnOffsetThatIsNotKnownSaysNothing) {
  AckedTopic topic;
  EXPECT_TRUE(topic.Rises(0, -1001, kSecond));
  EXPECT_TRUE(topic.Rises(-1, 5, kSecond));
  ASSERT_TRUE(topic.Rises(0, 5, kSecond));
  EXPECT_FALSE(topic.Rises(0, -1001, 2 * kSecond));
  EXPECT_TRUE(topic.Judge("t", 0, -1001, 2 * kSecond).ok());
  ASSERT_TRUE(topic.Rises(3, 5, kSecond));
  EXPECT_FALSE(topic.Rises(2, -1, 2 * kSecond));
  EXPECT_TRUE(topic.Judge("t", 2, -1, 2 * kSecond).ok());
}

TEST(AckedTopic, TheNextProducerKnowsIt) {
  const auto known = std::make_shared<AckedTopics>();
  (*known)["t"].taken = true;
  ASSERT_TRUE((*known)["t"].Rises(0, 5, kSecond));
  const auto next = OfNewProducer(known);
  EXPECT_FALSE((*next)["t"].taken) << "it has taken nothing yet";
  EXPECT_FALSE((*next)["t"].Rises(0, 0, 2 * kSecond));
  for (int i = 0; i < 20'000; ++i) (*known)[std::to_string(i)].taken = true;
  EXPECT_TRUE(OfNewProducer(known)->empty()) << "nobody knows whether it will be used again";
  EXPECT_NE(OfNewProducer(nullptr), nullptr);
}

}  // namespace
}  // namespace walduct::kafka
