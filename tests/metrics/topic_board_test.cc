#include "metrics/topic_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TopicBoardTest, ATopicIsToldOnceUntilItIsWrittenToAgain) {
  TopicBoard board;
  TopicBoard::Mark* const mark = board.Of("a");
  board.Of("never");
  EXPECT_THAT(board.TakeWritten(), IsEmpty());
  mark->Set();
  mark->Set();
  EXPECT_THAT(board.TakeWritten(), ElementsAre("a"));
  EXPECT_THAT(board.TakeWritten(), IsEmpty());
  mark->Set();
  EXPECT_THAT(board.TakeWritten(), ElementsAre("a"));
}

TEST(TopicBoardTest, AForgottenTopicIsGoneOnceItIsTold) {
  TopicBoard board;
  board.Of("a")->Set();
  board.Of("b");
  board.Forget("a");
  board.Forget("unknown");
  EXPECT_EQ(board.size(), 2);
  EXPECT_THAT(board.TakeWritten(), ElementsAre("a"));
  EXPECT_EQ(board.size(), 1);
}

TEST(TopicBoardTest, AForgottenTopicMayComeAgain) {
  TopicBoard board;
  board.Of("a")->Set();
  board.Forget("a");
  TopicBoard::Mark* const again = board.Of("a");
  EXPECT_THAT(board.TakeWritten(), ElementsAre("a"));
  again->Set();
  EXPECT_THAT(board.TakeWritten(), ElementsAre("a"));
}

TEST(TopicBoardTest, ATopicOfTwoSinksIsThereUntilBothHaveForgottenIt) {
  TopicBoard board;
  board.Of("a");
  TopicBoard::Mark* const other = board.Of("a");
  board.Forget("a");
  EXPECT_THAT(board.TakeWritten(), IsEmpty());
  other->Set();
  EXPECT_THAT(board.TakeWritten(), ElementsAre("a"));
  board.Forget("a");
  EXPECT_THAT(board.TakeWritten(), IsEmpty());
  EXPECT_EQ(board.size(), 0);
}

}  // namespace
}  // namespace walduct::metrics
