#include "slot/phases/read_pace.h"

#include <gtest/gtest.h>

namespace walduct::slot {
namespace {

using replication::ReceivePath;
using Kind = ReadPace::Answer::Kind;

constexpr absl::Duration kStep = absl::Microseconds(300);
constexpr size_t kFrameBytes = 100;

class ReadPaceTest : public ::testing::TestWithParam<ReceivePath> {
 protected:
  ReadPace::Answer Give(int frames, size_t bytes, absl::Duration step) {
    now_ += step;
    return pace_.OnEmpty(frames, bytes, now_);
  }
  // A source that gives `frames` each time it is read, `step` apart; the last answer.
  ReadPace::Answer Read(int reads, int frames, absl::Duration step) {
    ReadPace::Answer answer;
    for (int i = 0; i < reads; ++i)
      answer = Give(frames, static_cast<size_t>(frames) * kFrameBytes, step);
    return answer;
  }
  absl::Duration NapAfter(int reads, int frames, absl::Duration step) {
    const ReadPace::Answer answer = Read(reads, frames, step);
    EXPECT_EQ(answer.kind, Kind::kNap);
    return answer.nap;
  }

  ReadPace pace_{GetParam()};
  absl::Duration now_ = absl::Seconds(1000);
};

INSTANTIATE_TEST_SUITE_P(Paths, ReadPaceTest,
                         ::testing::Values(ReceivePath::kLocal, ReceivePath::kNear,
                                           ReceivePath::kFar));

TEST_P(ReadPaceTest, WaitsForTheFirstChangesAfterAPause) {
  EXPECT_EQ(Read(1, 3, absl::Seconds(1)).kind, Kind::kWait);
}

TEST_P(ReadPaceTest, NeverNapsOverATrickle) {
  EXPECT_EQ(Read(1000, 3, absl::Milliseconds(10)).kind, Kind::kWait);
}

TEST_P(ReadPaceTest, NapsOverAFlow) {
  EXPECT_EQ(Read(ReadPace::kFlowFrames - 1, 1, kStep).kind, Kind::kWait);
  EXPECT_GE(NapAfter(1, 1, kStep), ReadPace::kShortestNap);
}

TEST_P(ReadPaceTest, ANapIsNoPause) {
  const absl::Duration longest = NapAfter(50, 5, kStep);
  EXPECT_EQ(NapAfter(1, 5, absl::Milliseconds(50)), longest);
}

TEST_P(ReadPaceTest, ANapThatBringsNothingIsTheLastUntilSomethingComes) {
  NapAfter(50, 10, kStep);
  EXPECT_EQ(Read(1, 0, kStep).kind, Kind::kWait);
  EXPECT_EQ(Read(1, 0, kStep).kind, Kind::kWait);
  NapAfter(1, 1, kStep);
}

TEST_P(ReadPaceTest, WaitsAgainAfterAPause) {
  NapAfter(50, 10, kStep);
  EXPECT_EQ(Read(1, 0, kStep).kind, Kind::kWait);
  EXPECT_EQ(Read(1, 1, ReadPace::kPause * 2).kind, Kind::kWait);
}

using ReadPaceInFramesTest = ReadPaceTest;
INSTANTIATE_TEST_SUITE_P(Paths, ReadPaceInFramesTest,
                         ::testing::Values(ReceivePath::kLocal, ReceivePath::kFar));

TEST_P(ReadPaceInFramesTest, NapsAfterOneLargeReadToo) {
  EXPECT_EQ(NapAfter(1, 500, absl::Seconds(1)), ReadPace::kShortestNap);
}

TEST_P(ReadPaceInFramesTest, NapsLongerUntilANapBringsEnough) {
  constexpr ReadPace::Pile kPile = ReadPace::kFrames;
  EXPECT_EQ(NapAfter(50, static_cast<int>(kPile.little) - 1, kStep), kPile.longest);
  EXPECT_EQ(NapAfter(50, static_cast<int>(kPile.little) + 1, kStep), kPile.longest);
  EXPECT_EQ(NapAfter(50, static_cast<int>(kPile.much) + 1, kStep), ReadPace::kShortestNap);
}

class NearReadPaceTest : public ReadPaceTest {
 protected:
  // A nap, windows that were full, and the rest: of so many frames and bytes together.
  absl::Duration Cycle(int frames, size_t bytes) {
    EXPECT_EQ(Give(frames - 2, bytes - 1000, kStep).kind, Kind::kMore);
    return Give(2, 1000, kStep).nap;
  }
};
INSTANTIATE_TEST_SUITE_P(Paths, NearReadPaceTest, ::testing::Values(ReceivePath::kNear));

TEST_P(NearReadPaceTest, TakesAllThatHasGatheredBeforeTheNextNap) {
  NapAfter(50, 10, kStep);
  EXPECT_EQ(Give(50, ReadPace::kMoreBytes, kStep).kind, Kind::kMore);
  EXPECT_EQ(Give(50, ReadPace::kMoreBytes, kStep).kind, Kind::kMore);
  EXPECT_EQ(Give(50, ReadPace::kMoreBytes - 1, kStep).kind, Kind::kNap);
}

TEST_P(NearReadPaceTest, NapsLongerUntilANapAndWhatFollowsBringEnough) {
  constexpr ReadPace::Pile kPile = ReadPace::kBytes;
  for (int i = 0; i < 10; ++i) Cycle(1000, kPile.little - 1);
  EXPECT_EQ(Cycle(1000, kPile.little - 1), kPile.longest);
  EXPECT_EQ(Cycle(1000, kPile.little), kPile.longest);
  EXPECT_EQ(Cycle(1000, kPile.much), kPile.longest);
  absl::Duration nap;
  for (int i = 0; i < 10; ++i) nap = Cycle(1000, kPile.much + 1);
  EXPECT_EQ(nap, ReadPace::kShortestNap);
}

// Of messages of 1,000 bytes, six in a millisecond.
TEST_P(NearReadPaceTest, AFlowThatIsNoFloodIsNotNappedOverForLonger) {
  absl::Duration nap = NapAfter(50, 5, kStep);
  EXPECT_EQ(nap, ReadPace::kFrames.longest);
  for (int i = 0; i < 10; ++i) nap = Cycle(1000, 400'000);
  EXPECT_EQ(nap, ReadPace::kBytes.longest);
  for (int i = 0; i < 10; ++i) {
    const auto frames = static_cast<int>(6 * absl::ToDoubleMilliseconds(nap));
    const ReadPace::Answer answer = Give(frames, static_cast<size_t>(frames) * 1000, nap);
    nap = answer.kind == Kind::kNap ? answer.nap : Give(1, 1000, kStep).nap;
    EXPECT_LE(nap, ReadPace::kFrames.longest);
  }
}

TEST_P(NearReadPaceTest, MoreThatDoesNotComeEndsTheFlow) {
  NapAfter(50, 10, kStep);
  EXPECT_EQ(Give(50, ReadPace::kMoreBytes, kStep).kind, Kind::kMore);
  EXPECT_EQ(Give(1, 100, ReadPace::kPause * 2).kind, Kind::kWait);
}

}  // namespace
}  // namespace walduct::slot
