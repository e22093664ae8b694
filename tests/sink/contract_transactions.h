// What every sink that has transactions is tested for (contract_transactions_test.cc): the promises
// of sink/transactions.h.
#pragma once

#include <memory>
#include <string>

#include "tests/sink/contract.h"

namespace walduct::sink {

class TransactionContract : public SinkContract {
 protected:
  TransactionContract() : sink_(target_->Open(kRoomy)), transactions_(sink_->transactions()) {
    EXPECT_NE(transactions_, nullptr);
    const absl::Status taken = transactions_->TakeOver();
    EXPECT_TRUE(taken.ok()) << taken;
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

}  // namespace walduct::sink
