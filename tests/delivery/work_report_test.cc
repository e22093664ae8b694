#include "delivery/progress/work_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/simulated_time.h"

namespace walduct::delivery {
namespace {

using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

class WorkReportTest : public testing::Test {
 protected:
  // 200 changes a second, and what that gives in the log.
  std::string Work(absl::Duration duration) { return Pass(duration, 200); }
  std::string Rest(absl::Duration duration) { return Pass(duration, 0); }
  std::string Pass(absl::Duration duration, uint64_t changes) {
    CaptureStderr();
    for (absl::Duration passed; passed < duration; passed += absl::Seconds(1)) {
      metrics_.Seen(metrics::EventKind::kCreate).Add(changes);
      report_.Turn();
      time_.Advance(absl::Seconds(1));
    }
    return GetCapturedStderr();
  }
  static size_t Lines(const std::string& log) {
    size_t lines = 0;
    for (size_t at = log.find("streamed"); at != log.npos; at = log.find("streamed", at + 1))
      ++lines;
    return lines;
  }

  test::SimulatedTime time_;
  metrics::ConnectorMetrics metrics_;
  WorkReport report_{time_, metrics_};
};

TEST_F(WorkReportTest, NothingIsSaidOfNothing) { EXPECT_EQ(Rest(absl::Hours(1)), ""); }

TEST_F(WorkReportTest, TheFirstLineComesSoonTheOthersEachMinute) {
  const std::string first = Work(absl::Seconds(12));
  EXPECT_EQ(Lines(first), 1u);
  EXPECT_THAT(first, HasSubstr("changes=2200 seconds=10 changes_per_s=220"));
  EXPECT_EQ(Lines(Work(absl::Seconds(50))), 0u);
  EXPECT_EQ(Lines(Work(absl::Minutes(5))), 5u);
}

TEST_F(WorkReportTest, LittleIsNotWorthALine) {
  EXPECT_EQ(Pass(absl::Hours(1), 1), "");
  EXPECT_EQ(Work(absl::Seconds(3)), "");
  EXPECT_EQ(Rest(absl::Minutes(5)), "");
}

TEST_F(WorkReportTest, LoadThatComesAgainIsToldAgain) {
  Work(absl::Minutes(2));
  EXPECT_LE(Lines(Rest(absl::Minutes(5))), 1u);
  EXPECT_EQ(Lines(Work(absl::Seconds(12))), 1u);
}

TEST_F(WorkReportTest, RowsOfASnapshotAreNotCounted) {
  metrics_.Seen(metrics::EventKind::kRead).Add(1000);
  EXPECT_EQ(Rest(absl::Minutes(2)), "");
}

}  // namespace
}  // namespace walduct::delivery
