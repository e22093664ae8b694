// The contract of sinks that have transactions (SinkTransactions in sink/sink.h).
#include <gmock/gmock.h>

#include "tests/sink/fake_sink_target.h"

namespace walduct::sink {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class TransactionContract : public SinkContract {
 protected:
  TransactionContract() : sink_(target_->Open(kRoomy)), transactions_(sink_->transactions()) {
    EXPECT_NE(transactions_, nullptr);
  }
  absl::Status Commit(const std::string& position) {
    if (const absl::Status started = transactions_->StartCommit(Of(positions_, "c", position));
        !started.ok()) {
      return started;
    }
    const Environment world = target_->environment();
    const absl::Duration deadline = world.clock->Monotonic() + kPatience;
    while (world.clock->Monotonic() < deadline) {
      if (const auto answer = transactions_->PollCommit()) return *answer;
      world.poller->WaitReadable({sink_->ready_fd()}, absl::Milliseconds(100));
    }
    return absl::DeadlineExceededError("no answer");
  }

  const std::string topic_ = target_->Topic("records"), positions_ = target_->Topic("positions");
  std::unique_ptr<Sink> sink_;
  SinkTransactions* transactions_;
};

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
  ASSERT_TRUE(transactions_->Abort().ok());
  ASSERT_TRUE(transactions_->Begin().ok());
  Write(*sink_, Of(topic_, "k", "b"), 2);
  ASSERT_TRUE(Commit("2").ok());
  Flush(*sink_);
  const auto read = target_->Read(topic_);
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_EQ(read[0].value, "b");
  EXPECT_EQ(acks_.by_ticket, (std::map<Ticket, uint32_t>{{2, 1}}));
}

// What an instance that has been replaced still holds must never appear.
TEST_P(TransactionContract, ANewSinkShutsTheOldOneOut) {
  ASSERT_TRUE(transactions_->Begin().ok());
  Write(*sink_, Of(topic_, "k", "old"), 1);
  const auto next = target_->Open(kRoomy);
  ASSERT_TRUE(next->transactions()->Begin().ok());
  EXPECT_TRUE(absl::IsAborted(Commit("1")));
  EXPECT_TRUE(absl::IsAborted(sink_->Write(Of(topic_, "k", "late"), 2)));
  EXPECT_THAT(target_->Read(topic_), IsEmpty());
}

std::unique_ptr<SinkTarget> MakeFake() { return std::make_unique<FakeSinkTarget>(true); }

INSTANTIATE_TEST_SUITE_P(Sinks, TransactionContract,
                         testing::Values(ContractParameter{"Fake", MakeFake}), NameOf);

}  // namespace
}  // namespace walduct::sink
