#include "engine/phases/read_pace.h"

#include <gtest/gtest.h>

namespace walduct::engine {
namespace {

constexpr absl::Duration kStep = absl::Microseconds(300);

// A source that gives `frames` each time it is read, `step` apart; the last nap.
absl::Duration NapAfter(ReadPace& pace, int reads, int frames, absl::Duration step) {
  static absl::Duration now = absl::Seconds(1000);
  absl::Duration nap;
  for (int i = 0; i < reads; ++i) {
    now += step;
    nap = pace.OnEmpty(frames, now);
  }
  return nap;
}

TEST(ReadPace, WaitsForTheFirstChangesAfterAPause) {
  ReadPace pace;
  EXPECT_EQ(NapAfter(pace, 1, 3, absl::Seconds(1)), absl::ZeroDuration());
}

TEST(ReadPace, NeverNapsOverATrickle) {
  ReadPace pace;
  EXPECT_EQ(NapAfter(pace, 1000, 3, absl::Milliseconds(10)), absl::ZeroDuration());
}

TEST(ReadPace, NapsOverAFlow) {
  ReadPace pace;
  EXPECT_EQ(NapAfter(pace, ReadPace::kFlowFrames - 1, 1, kStep), absl::ZeroDuration());
  EXPECT_GE(NapAfter(pace, 1, 1, kStep), ReadPace::kShortestNap);
}

TEST(ReadPace, NapsAfterOneLargeReadToo) {
  ReadPace pace;
  EXPECT_EQ(NapAfter(pace, 1, 500, absl::Seconds(1)), ReadPace::kShortestNap);
}

TEST(ReadPace, NapsLongerUntilANapBringsEnough) {
  ReadPace pace;
  EXPECT_EQ(NapAfter(pace, 50, ReadPace::kFewFrames - 1, kStep), ReadPace::kLongestNap);
  EXPECT_EQ(NapAfter(pace, 50, ReadPace::kFewFrames + 1, kStep), ReadPace::kLongestNap);
  EXPECT_EQ(NapAfter(pace, 50, ReadPace::kManyFrames + 1, kStep), ReadPace::kShortestNap);
}

TEST(ReadPace, ANapIsNoPause) {
  ReadPace pace;
  NapAfter(pace, 50, 10, kStep);
  EXPECT_EQ(NapAfter(pace, 1, 10, absl::Milliseconds(50)), ReadPace::kLongestNap);
}

TEST(ReadPace, ANapThatBringsNothingIsTheLastUntilSomethingComes) {
  ReadPace pace;
  EXPECT_GT(NapAfter(pace, 50, 10, kStep), absl::ZeroDuration());
  EXPECT_EQ(NapAfter(pace, 1, 0, kStep), absl::ZeroDuration());
  EXPECT_EQ(NapAfter(pace, 1, 0, kStep), absl::ZeroDuration());
  EXPECT_GT(NapAfter(pace, 1, 1, kStep), absl::ZeroDuration());
}

TEST(ReadPace, WaitsAgainAfterAPause) {
  ReadPace pace;
  NapAfter(pace, 50, 10, kStep);
  EXPECT_EQ(NapAfter(pace, 1, 0, kStep), absl::ZeroDuration());
  EXPECT_EQ(NapAfter(pace, 1, 1, ReadPace::kPause * 2), absl::ZeroDuration());
}

}  // namespace
}  // namespace walduct::engine
