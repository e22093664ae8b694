#include "engine/lifecycle/retry_budget.h"

#include <gtest/gtest.h>

#include "engine/configuration/runtime_options.h"

namespace walduct::engine {
namespace {

class RetryBudgetTest : public testing::Test {
 protected:
  RuntimeOptions runtime_;
  SoonRetries soon_ = {.most = 6, .delay = absl::Seconds(10)};
};

TEST_F(RetryBudgetTest, DelaysGrowUpToTheirLimit) {
  runtime_.retry_wait = absl::Seconds(10);
  RetryBudget budget(runtime_, 1);
  EXPECT_LE(*budget.Next(Action::kRetry), absl::Seconds(1));
  absl::Duration last;
  for (int i = 0; i < 100; ++i) last = *budget.Next(Action::kRetry);
  EXPECT_GT(last, absl::Seconds(7));
  EXPECT_LE(last, absl::Seconds(10));
}

TEST_F(RetryBudgetTest, EachKindHasItsOwnLimit) {
  runtime_.errors_max_retries = 2;
  soon_.most = 1;
  soon_.given = true;
  RetryBudget budget(runtime_, 1);
  EXPECT_TRUE(budget.Next(Action::kRetrySoon, soon_));
  EXPECT_FALSE(budget.Next(Action::kRetrySoon, soon_));
  EXPECT_TRUE(budget.Next(Action::kRetry));
  EXPECT_TRUE(budget.Next(Action::kRetry));
  EXPECT_FALSE(budget.Next(Action::kRetry));
  EXPECT_EQ(budget.Next(Action::kRetryNow), absl::ZeroDuration());
  budget.Reset();
  EXPECT_TRUE(budget.Next(Action::kRetry));
  EXPECT_TRUE(budget.Next(Action::kRetrySoon, soon_));
}

TEST_F(RetryBudgetTest, ASlotInUseOutlastsTheServersPatience) {
  for (const absl::Duration timeout : {absl::ZeroDuration(), absl::Seconds(60), absl::Minutes(5)}) {
    RetryBudget budget(runtime_, 1);
    soon_.held = timeout;
    absl::Duration waited;
    while (const std::optional<absl::Duration> delay = budget.Next(Action::kRetrySoon, soon_)) {
      EXPECT_LE(*delay, absl::Seconds(10));
      waited += *delay;
    }
    EXPECT_GE(waited, std::max(timeout + absl::Seconds(15), absl::Seconds(60)));
    EXPECT_LE(waited, std::max(timeout + absl::Seconds(25), absl::Seconds(70)));
  }
}

TEST_F(RetryBudgetTest, GivenRetriesAreMadeAsGiven) {
  soon_.most = 2;
  soon_.delay = absl::Seconds(7);
  soon_.given = true;
  RetryBudget budget(runtime_, 1);
  soon_.held = absl::Minutes(5);
  EXPECT_EQ(budget.Next(Action::kRetrySoon, soon_), absl::Seconds(7));
  EXPECT_EQ(budget.Next(Action::kRetrySoon, soon_), absl::Seconds(7));
  EXPECT_FALSE(budget.Next(Action::kRetrySoon, soon_));
}

TEST_F(RetryBudgetTest, AFailureIsNotRetried) {
  EXPECT_FALSE(RetryBudget(runtime_, 1).Next(Action::kFail));
}

TEST(WorseExitCode, PossibleLossComesFirstAndACleanEndLast) {
  EXPECT_EQ(Worse(kExitClean, kExitNotCaughtUp), kExitNotCaughtUp);
  EXPECT_EQ(Worse(kExitNotCaughtUp, kExitFailure), kExitFailure);
  EXPECT_EQ(Worse(kExitPrerequisite, kExitFailure), kExitPrerequisite);
  EXPECT_EQ(Worse(kExitPrerequisite, kExitConfiguration), kExitConfiguration);
  EXPECT_EQ(Worse(kExitDataSafety, kExitConfiguration), kExitDataSafety);
  EXPECT_EQ(Worse(kExitClean, kExitClean), kExitClean);
}

}  // namespace
}  // namespace walduct::engine
