#include "recover/read/emptied_topic.h"

#include <gtest/gtest.h>

namespace walduct::recover {
namespace {

using Answer = EmptiedTopic::Answer;

TEST(EmptiedTopic, TellsByTheOrderOfAPartitionAndElseByTime) {
  EmptiedTopic topic;
  EXPECT_EQ(topic.Has(0, 0, 0), Answer::kNo);
  topic.OnTruncate(1, 100, 5000);
  // TRUNCATE and rows anew in one transaction, all within a millisecond.
  EXPECT_EQ(topic.Has(1, 99, 5000), Answer::kYes);
  EXPECT_EQ(topic.Has(1, 100, 5000), Answer::kNo);
  EXPECT_EQ(topic.Has(2, 300, 4999), Answer::kYes);
  EXPECT_EQ(topic.Has(2, 50, 5001), Answer::kNo);
  EXPECT_EQ(topic.Has(2, 300, 5000), Answer::kMaybe);
  topic.OnTruncate(2, 301, 4000);
  EXPECT_EQ(topic.Has(2, 300, 9000), Answer::kYes);
  EXPECT_EQ(topic.Has(1, 100, 5000), Answer::kNo);
}

}  // namespace
}  // namespace walduct::recover
