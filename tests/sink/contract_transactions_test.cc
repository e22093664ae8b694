// The contract of sinks that have transactions (SinkTransactions in sink/sink.h).
#include "tests/sink/contract_transactions.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace walduct::sink {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST_P(TransactionContract, RecordsAndPositionAppearTogether) {
  ASSERT_TRUE(transactions_->Begin().ok());
  Write(*sink_, Of(topic_, "k", "a"), 1);
  Write(*sink_, Of(topic_, "k", "b"), 1);
  EXPECT_THAT(target_->Read(topic_), IsEmpty()) << "not before the commit";
  ASSERT_TRUE(Commit("1").ok());
  EXPECT_THAT(target_->Read(topic_), SizeIs(2));
  const auto positions = target_->Read(positions_);
  ASSERT_THAT(positions, SizeIs(1));
  EXPECT_EQ(positions[0].value, "1");
}

TEST_P(TransactionContract, RecordsAreAcknowledgedByTheCommit) {
  ASSERT_TRUE(transactions_->Begin().ok());
  Write(*sink_, Of(topic_, "k", "a"), 5);
  ASSERT_TRUE(sink_->Poll(acks_).ok());
  EXPECT_EQ(acks_.records, 0u);
  ASSERT_TRUE(Commit("1").ok());
  Flush(*sink_);
  EXPECT_EQ(acks_.by_ticket, (std::map<Ticket, uint32_t>{{5, 1}}));
}

TEST_P(TransactionContract, NothingIsWrittenOutsideOfOne) {
  EXPECT_TRUE(absl::IsFailedPrecondition(sink_->Write(Of(topic_, "k", "a"), 1)));
}

TEST_P(TransactionContract, AnAbortLeavesNothing) {
  ASSERT_TRUE(transactions_->Begin().ok());
  Write(*sink_, Of(topic_, "k", "a"), 1);
  ASSERT_TRUE(transactions_->Abort(absl::Seconds(10)).ok());
  ASSERT_TRUE(transactions_->Begin().ok());
  Write(*sink_, Of(topic_, "k", "b"), 2);
  ASSERT_TRUE(Commit("2").ok());
  Flush(*sink_);
  const auto read = target_->Read(topic_);
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_EQ(read[0].value, "b");
  EXPECT_EQ(acks_.by_ticket, (std::map<Ticket, uint32_t>{{2, 1}}));
}

TEST_P(TransactionContract, NothingIsWrittenDuringACommit) {
  ASSERT_TRUE(transactions_->Begin().ok());
  Write(*sink_, Of(topic_, "k", "a"), 1);
  ASSERT_TRUE(transactions_->StartCommit(Of(positions_, "c", "1")).ok());
  EXPECT_FALSE(sink_->HasCapacity());
  EXPECT_TRUE(absl::IsResourceExhausted(sink_->Write(Of(topic_, "k", "b"), 2)));
}

// What an instance that has been replaced still holds must never appear.
TEST_P(TransactionContract, ANewSinkShutsTheOldOneOut) {
  ASSERT_TRUE(transactions_->Begin().ok());
  Write(*sink_, Of(topic_, "k", "old"), 1);
  const auto next = target_->Open(kRoomy);
  ASSERT_TRUE(next->transactions()->TakeOver().ok());
  EXPECT_EQ(ErrorReason(Commit("1")), "fenced");
  EXPECT_EQ(ErrorReason(sink_->Write(Of(topic_, "k", "late"), 2)), "fenced");
  EXPECT_THAT(target_->Read(topic_), IsEmpty());
}

}  // namespace
}  // namespace walduct::sink
