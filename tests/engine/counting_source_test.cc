// A source that is no slot: it counts. Its row, and what the engine makes of its attempts, is all
// that is asked of a source (src/engine/configuration/source_type.h). CONTRIBUTING.md follows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/source_type.h"
#include "engine/control/control.h"
#include "engine/lifecycle/host.h"
#include "engine/lifecycle/lifecycle.h"
#include "metrics/connector_metrics.h"
#include "tests/support/simulated_time.h"

namespace walduct::engine {
namespace {

using testing::ElementsAre;

// What it counts, and what goes wrong on the way.
struct Counted {
  int end = 10;
  int stored = 0;                      // no LSN: the number that it goes on from
  std::vector<absl::Status> failures;  // the next attempts end so, having counted one
  std::vector<std::string> told;
  std::function<void()> as_it_ends = nullptr;
};

class CountingAttempts final : public Attempts {
 public:
  CountingAttempts(const AttemptParts& parts, Counted& counted)
      : parts_(parts), counted_(counted) {}

  AttemptEnd Run(bool ran_before) override {
    counted_.told.push_back(
        absl::StrCat(ran_before ? "again" : "first", " from ", counted_.stored));
    parts_.board->Show(ConnectorState::kRunning, Activity::kStreaming);
    AttemptEnd end{.began = true};
    while (counted_.stored < counted_.end && !parts_.control->interrupted()) {
      parts_.world->poller().WaitReadable({parts_.control->fd()}, absl::Seconds(1));
      parts_.control->Take();
      ++counted_.stored;
      end.progressed = true;
      if (counted_.failures.empty()) continue;
      end.status = counted_.failures.front();
      counted_.failures.erase(counted_.failures.begin());
      break;
    }
    end.goal_reached = counted_.stored == counted_.end;
    if (counted_.as_it_ends) std::exchange(counted_.as_it_ends, nullptr)();
    end.position = absl::StrCat(counted_.stored);
    return end;
  }
  SoonRetries soon() const override {
    return {.most = 1, .delay = absl::Seconds(3), .given = true};
  }
  void ShowError(const absl::Status& error) override { parts_.board->ShowError(error); }
  void OnFailure(const absl::Status& status) override {
    counted_.told.push_back(absl::StrCat("failed: ", status.message()));
  }

 private:
  const AttemptParts parts_;
  Counted& counted_;
};

class CountingHost final : public Host {
 public:
  CountingHost(test::SimulatedTime& time, Counted& counted)
      : environment_(time.environment()), counted_(counted) {}

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return 1; }
  std::unique_ptr<Attempts> MakeAttempts(const AttemptParts& parts) override {
    return parts.config->source->attempts(parts);
  }
  Counted& counted() { return counted_; }
  std::unique_ptr<Monitor> MakeMonitor() override { return nullptr; }

 private:
  const Environment environment_;
  Counted& counted_;
};

const SourceType kCountingSource = {
    .name = "counting",
    .attempts = [](const AttemptParts& parts) -> std::unique_ptr<Attempts> {
      return std::make_unique<CountingAttempts>(parts,
                                                static_cast<CountingHost&>(*parts.world).counted());
    },
};

class CountingSourceTest : public testing::Test {
 protected:
  CountingSourceTest() { config_.source = &kCountingSource; }

  // Runs for so long.
  ConnectorStatus RunFor(absl::Duration duration) {
    mailbox_.Post(Command::kStart);
    time_.After(duration, [this] {
      seen_ = board_.Read();
      mailbox_.Post(Command::kQuit);
    });
    Lifecycle({.config = &config_,
               .goal = {},
               .world = &host_,
               .control = &control_,
               .board = &board_,
               .metrics = &metrics_})
        .Run();
    return seen_;
  }
  void GiveAt(absl::Duration when, Command command) {
    time_.After(when, [this, command] { mailbox_.Post(command); });
  }

  // Its stop and a failure at once.
  ConnectorStatus StopAsItFails(const absl::Status& failure) {
    time_.After(absl::Milliseconds(1'500), [this, failure] {
      counted_.failures.push_back(failure);
      mailbox_.Post(Command::kStop);
    });
    return RunFor(absl::Seconds(5));
  }

  test::SimulatedTime time_;
  Counted counted_;
  CountingHost host_{time_, counted_};
  ConnectorOptions config_;
  Mailbox mailbox_;
  StatusBoard board_{"counter", time_};
  Control control_{mailbox_, board_};
  metrics::ConnectorMetrics metrics_;
  ConnectorStatus seen_;
};

TEST_F(CountingSourceTest, IsRunUntilItsGoal) {
  const ConnectorStatus status = RunFor(absl::Minutes(1));
  EXPECT_EQ(counted_.stored, 10);
  EXPECT_EQ(status.state, ConnectorState::kStopped);
  EXPECT_EQ(status.exit_code, kExitClean);
  EXPECT_THAT(counted_.told, ElementsAre("first from 0"));
}

TEST_F(CountingSourceTest, GoesOnFromWhatItHasStored) {
  counted_.failures = {absl::UnavailableError("away"), absl::UnavailableError("away")};
  const ConnectorStatus status = RunFor(absl::Minutes(1));
  EXPECT_THAT(counted_.told, ElementsAre("first from 0", "again from 1", "again from 2"));
  EXPECT_EQ(metrics_.reconnects.value(), 2u);
  EXPECT_EQ(status.last_error->message, "away");
  EXPECT_EQ(status.state, ConnectorState::kStopped);
}

TEST_F(CountingSourceTest, SaysItselfHowSoonItIsRetried) {
  counted_.failures = {absl::AbortedError("in use"), absl::AbortedError("in use")};
  const ConnectorStatus status = RunFor(absl::Seconds(60));
  EXPECT_THAT(counted_.told, ElementsAre("first from 0", "again from 1", "again from 2"));
  EXPECT_EQ(status.state, ConnectorState::kStopped) << "what progresses has its retries anew";
}

TEST_F(CountingSourceTest, HearsThatItFailsForGood) {
  counted_.failures = {absl::DataLossError("a number is gone")};
  const ConnectorStatus status = RunFor(absl::Minutes(1));
  EXPECT_EQ(status.state, ConnectorState::kFailed);
  EXPECT_EQ(status.exit_code, kExitDataSafety);
  EXPECT_THAT(counted_.told, ElementsAre("first from 0", "failed: a number is gone"));
}

TEST_F(CountingSourceTest, APauseEndsItsAttempt) {
  counted_.end = 1000;
  GiveAt(absl::Seconds(5), Command::kPause);
  GiveAt(absl::Seconds(60), Command::kResume);
  const ConnectorStatus status = RunFor(absl::Seconds(70));
  EXPECT_EQ(status.state, ConnectorState::kRunning);
  EXPECT_THAT(counted_.told, ElementsAre("first from 0", "again from 5"));
  EXPECT_LT(counted_.stored, 20);
}

TEST_F(CountingSourceTest, ResumedWhileItEndsItGoesOn) {
  counted_.end = 1000;
  // As one that was interrupted while it waited for its sink.
  time_.After(absl::Milliseconds(1'500), [this] {
    counted_.failures.push_back(absl::CancelledError("interrupted"));
    mailbox_.Post(Command::kPause);
    counted_.as_it_ends = [this] { mailbox_.Post(Command::kResume); };
  });
  const ConnectorStatus status = RunFor(absl::Seconds(20));
  EXPECT_EQ(status.state, ConnectorState::kRunning);
  EXPECT_THAT(counted_.told, ElementsAre("first from 0", "again from 2"));
}

TEST_F(CountingSourceTest, WhatIsLeftUndoneByAStopIsNoCleanEnd) {
  const ConnectorStatus status = StopAsItFails(absl::UnavailableError("away"));
  EXPECT_EQ(status.state, ConnectorState::kStopped);
  EXPECT_EQ(status.exit_code, kExitFailure);
}

TEST_F(CountingSourceTest, WhatFailsForGoodFailsUnderAStopToo) {
  const ConnectorStatus status = StopAsItFails(
      Error(absl::StatusCode::kFailedPrecondition, "slot_lost", "gone", "start anew"));
  EXPECT_EQ(status.exit_code, kExitDataSafety);
  EXPECT_EQ(counted_.told.back(), "failed: gone");
}

}  // namespace
}  // namespace walduct::engine
