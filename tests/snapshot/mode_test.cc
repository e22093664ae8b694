#include "snapshot/mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "snapshot/options.h"

namespace walduct::snapshot {

void PrintTo(const StartDecision& decision, std::ostream* out) {
  *out << "{snapshot=" << decision.snapshot << " stream=" << decision.stream
       << " discard=" << decision.discard_offset << "}";
}
bool operator==(const StartDecision& a, const StartDecision& b) {
  return a.snapshot == b.snapshot && a.stream == b.stream && a.discard_offset == b.discard_offset;
}

namespace {

using testing::HasSubstr;

constexpr StartDecision kNothing{};
constexpr StartDecision kStreamOnly{.stream = true};
constexpr StartDecision kSnapshotOnly{.snapshot = true};
constexpr StartDecision kSnapshotThenStream{.snapshot = true, .stream = true};
constexpr StartDecision kSnapshotOnlyAnew{.snapshot = true, .discard_offset = true};
constexpr StartDecision kAnew{.snapshot = true, .stream = true, .discard_offset = true};

struct Row {
  const char* name;
  SnapshotMode mode;
  OffsetState offset;
  bool available;
  StartDecision decision;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class DecideStartTest : public testing::TestWithParam<Row> {};

TEST_P(DecideStartTest, DecidesAsDebezium) {
  const Row& row = GetParam();
  const auto decision = DecideStart({row.mode, row.offset, row.available, "0/1"});
  ASSERT_TRUE(decision.ok()) << decision.status();
  EXPECT_EQ(*decision, row.decision);
}

constexpr OffsetState kNone = OffsetState::kNone;
constexpr OffsetState kRunning = OffsetState::kSnapshotRunning;
constexpr OffsetState kStreaming = OffsetState::kStreaming;

// clang-format off
INSTANTIATE_TEST_SUITE_P(
    Modes, DecideStartTest,
    testing::Values(
        Row{"SNP01_initial_first_start", SnapshotMode::kInitial, kNone, true, kSnapshotThenStream},
        Row{"SNP01_initial_restart", SnapshotMode::kInitial, kStreaming, true, kStreamOnly},
        Row{"SNP02_never_first_start", SnapshotMode::kNever, kNone, true, kStreamOnly},
        Row{"SNP02_no_data_first_start", SnapshotMode::kNoData, kNone, true, kStreamOnly},
        Row{"SNP02_no_data_restart", SnapshotMode::kNoData, kStreaming, true, kStreamOnly},
        Row{"SNP03_initial_only_first_start", SnapshotMode::kInitialOnly, kNone, true, kSnapshotOnly},
        Row{"SNP04_initial_only_done_before", SnapshotMode::kInitialOnly, kStreaming, true, kNothing},
        Row{"SNP04_initial_only_does_not_look_at_the_slot", SnapshotMode::kInitialOnly, kStreaming, false, kNothing},
        Row{"SNP05_always_first_start", SnapshotMode::kAlways, kNone, true, kSnapshotThenStream},
        Row{"SNP05_always_restart", SnapshotMode::kAlways, kStreaming, true, kAnew},
        Row{"SNP06_when_needed_position_lost", SnapshotMode::kWhenNeeded, kStreaming, false, kAnew},
        Row{"SNP07_when_needed_position_there", SnapshotMode::kWhenNeeded, kStreaming, true, kStreamOnly},
        Row{"SNP07_when_needed_first_start", SnapshotMode::kWhenNeeded, kNone, true, kSnapshotThenStream},
        Row{"SNP08_data_at_each_start", SnapshotMode::kAlwaysOnly, kStreaming, true, kSnapshotOnlyAnew},
        Row{"SNP08_data_does_not_look_at_the_slot", SnapshotMode::kAlwaysOnly, kStreaming, false, kSnapshotOnlyAnew},
        Row{"SNP08_data_first_start", SnapshotMode::kAlwaysOnly, kNone, true, kSnapshotOnly},
        Row{"SNP08_stream_first_start", SnapshotMode::kGapsOnly, kNone, true, kStreamOnly},
        Row{"SNP08_stream_position_there", SnapshotMode::kGapsOnly, kStreaming, true, kStreamOnly},
        Row{"SNP08_stream_position_lost", SnapshotMode::kGapsOnly, kStreaming, false, kAnew},
        Row{"SNP08_neither_first_start", SnapshotMode::kNothing, kNone, true, kNothing},
        Row{"SNP08_neither", SnapshotMode::kNothing, kStreaming, false, kNothing},
        Row{"SNP09_initial_cut_short", SnapshotMode::kInitial, kRunning, true, kAnew},
        Row{"SNP09_when_needed_cut_short", SnapshotMode::kWhenNeeded, kRunning, true, kAnew},
        Row{"SNP09_always_cut_short", SnapshotMode::kAlways, kRunning, true, kAnew},
        Row{"SNP09_initial_only_cut_short", SnapshotMode::kInitialOnly, kRunning, true, kSnapshotOnlyAnew},
        Row{"SNP10_cut_short_and_slot_gone_too", SnapshotMode::kInitial, kRunning, false, kAnew}),
    [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });
// clang-format on

TEST(DecideStart, RefusesALostPositionUnlessWhenNeeded_SNP06) {
  for (const SnapshotMode mode : {SnapshotMode::kInitial, SnapshotMode::kNever,
                                  SnapshotMode::kNoData, SnapshotMode::kAlways}) {
    const absl::Status status = DecideStart({mode, kStreaming, false, "LSN 16/B374D848"}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(ErrorReason(status), "position_lost");
    EXPECT_EQ(
        status.message(),
        "The connector is trying to read change stream starting at LSN 16/B374D848, but this is no "
        "longer "
        "available on the server. Reconfigure the connector to use a snapshot mode when needed.");
    EXPECT_THAT(ErrorHint(status), HasSubstr("snapshot.mode=when_needed"));
  }
}

TEST(DecideStart, RefusesToStreamAfterASnapshotCutShort_SNP09) {
  for (const SnapshotMode mode : {SnapshotMode::kNever, SnapshotMode::kNoData,
                                  SnapshotMode::kGapsOnly, SnapshotMode::kNothing}) {
    const absl::Status status = DecideStart({mode, kRunning, true, ""}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(ErrorReason(status), "snapshot_interrupted");
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("previously stopped while taking a snapshot"));
    EXPECT_THAT(ErrorHint(status), HasSubstr("snapshot.mode=initial"));
  }
}

}  // namespace
}  // namespace walduct::snapshot
