#include "kafka/group/group_timing.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/match.h"
#include "base/error.h"

namespace walduct::kafka {
namespace {

using absl::Milliseconds;

GroupTiming Timing(int session, int heartbeat) {
  return {.session = Milliseconds(session), .heartbeat = Milliseconds(heartbeat)};
}

TEST(GroupTiming, LeavesHalfASecondUnlessToldOtherwise) {
  const GroupTiming usual;
  EXPECT_EQ(JudgeTiming(usual).what, "");
  EXPECT_EQ(MarginOf(usual), GroupTiming::kMargin);
  EXPECT_EQ(usual.lease(), absl::Seconds(7));
}

TEST(GroupTiming, ASessionThatEndsWithABeatLeavesNothing) {
  EXPECT_EQ(MarginOf(Timing(10000, 1000)), absl::ZeroDuration());
  EXPECT_EQ(MarginOf(Timing(10000, 3000)), absl::Seconds(2));
  for (const auto& [session, heartbeat] : {std::pair{10000, 1000},
                                           {9000, 3000},
                                           {10000, 2000},
                                           {8900, 1000},
                                           {9100, 1000},
                                           {12200, 3000}}) {
    const TimingVerdict verdict = JudgeTiming(Timing(session, heartbeat));
    EXPECT_TRUE(absl::StartsWith(verdict.what, "ends with a heartbeat of "))
        << session << " " << heartbeat << ": " << verdict.what;
    EXPECT_TRUE(absl::StrContains(verdict.instead, "00 and heartbeat.interval.ms=1000"));
  }
  for (const auto& [session, heartbeat] :
       {std::pair{10000, 3000}, {9500, 3000}, {11500, 3000}, {6500, 1000}, {24500, 1000}})
    EXPECT_EQ(JudgeTiming(Timing(session, heartbeat)).what, "") << session << " " << heartbeat;
}

TEST(GroupTiming, WhatIsTooShortOrTooLongIsRefused) {
  EXPECT_TRUE(absl::StrContains(JudgeTiming(Timing(8500, 500)).what, "less than a second"));
  EXPECT_TRUE(absl::StrContains(JudgeTiming(Timing(8500, 3000)).what, "three heartbeats"));
  EXPECT_TRUE(absl::StrContains(JudgeTiming(Timing(3500, 1000)).what, "less than 3 s"));
  EXPECT_TRUE(absl::StrContains(JudgeTiming(Timing(45500, 1000)).what, "more than 25 s"));
  EXPECT_EQ(JudgeTiming(Timing(10000, 1000)).instead,
            "set session.timeout.ms=10500 and heartbeat.interval.ms=1000 (of all workers of the "
            "group alike), or remove both");
  EXPECT_TRUE(absl::StrContains(JudgeTiming(Timing(1000, 1000)).instead, "session.timeout.ms=6500"))
      << "brokers allow no less than six seconds";
}

SessionLimits Limits(int least, int most) {
  return {.least = Milliseconds(least), .most = Milliseconds(most)};
}

TEST(GroupTiming, WhatBrokersDoNotTakeIsRefusedWithWhatToType) {
  const GroupTiming usual;
  EXPECT_TRUE(CheckSession("g", usual, true, {}).ok());
  EXPECT_TRUE(CheckSession("g", usual, true, Limits(6000, 1800000)).ok());
  EXPECT_TRUE(CheckSession("g", usual, true, Limits(8500, 8500)).ok());
  const absl::Status refused = CheckSession("g", usual, true, Limits(10000, 1800000));
  EXPECT_EQ(ErrorReason(refused), "group_session_refused");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_TRUE(absl::StrContains(refused.message(),
                                "in the group g, 8500 ms: they allow 10000 ms "
                                "(group.min.session.timeout.ms) to 1800000 ms"))
      << refused;
  EXPECT_TRUE(absl::StartsWith(ErrorHint(refused),
                               "set session.timeout.ms=10500 and heartbeat.interval.ms=1000 in "))
      << ErrorHint(refused);
  EXPECT_TRUE(absl::StrContains(ErrorHint(CheckSession("g", usual, true, Limits(1000, 7000))),
                                "session.timeout.ms=4500"));
  // No session that workers can share with is within them.
  for (const SessionLimits& limits : {Limits(30000, 1800000), Limits(1000, 3000)})
    EXPECT_TRUE(absl::StartsWith(ErrorHint(CheckSession("g", usual, true, limits)),
                                 "have group.min.session.timeout.ms of the brokers 8500 or less"));
}

TEST(GroupTiming, LimitsThatAreNotToldAreNamed) {
  const absl::Status refused = SessionRefused("g", {}, true, {});
  EXPECT_TRUE(absl::StrContains(refused.message(), "which they do not tell this user")) << refused;
  EXPECT_TRUE(absl::StrContains(ErrorHint(refused), "session.timeout.ms=10500"));
  // Of one seat the session is always the same.
  EXPECT_FALSE(absl::StrContains(ErrorHint(SessionRefused("g", {}, false, {})), "worker"));
}

}  // namespace
}  // namespace walduct::kafka
