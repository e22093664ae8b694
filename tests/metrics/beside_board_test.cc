#include "metrics/beside_board.h"

#include <gtest/gtest.h>

namespace walduct::metrics {
namespace {

constexpr Beside kWhat = Beside::kHeartbeatAction;

absl::Time At(int seconds) { return absl::UnixEpoch() + absl::Seconds(seconds); }

TEST(BesideBoard, AWaitEndsWithIt) {
  BesideBoard board;
  EXPECT_TRUE(board.Read().empty()) << "nothing has run";
  board.Waits(kWhat, At(10), "waits for a lock, held up by pid 7", "end it");
  board.Waits(kWhat, At(20), "waits for a lock, held up by pid 7", "end it");
  ASSERT_EQ(board.Read().size(), 1u);
  EXPECT_EQ(board.Read()[0].what, "heartbeat_action");
  EXPECT_TRUE(board.Read()[0].waits);
  EXPECT_EQ(board.Read()[0].since, At(10));
  board.WaitsNoMore(kWhat);
  ASSERT_EQ(board.Read().size(), 1u);
  EXPECT_EQ(board.Read()[0].since, std::nullopt);
  EXPECT_FALSE(board.Read()[0].waits);
}

TEST(BesideBoard, ARunThatWorksEndsAWait) {
  BesideBoard board;
  board.Waits(kWhat, At(10), "waits for a lock", "end it");
  board.Works(kWhat);
  ASSERT_EQ(board.Read().size(), 1u);
  EXPECT_EQ(board.Read()[0].since, std::nullopt);
}

TEST(BesideBoard, AFailureOutlivesTheWaitOfTheNextRun) {
  BesideBoard board;
  board.Failed(kWhat, At(10), "lock timeout", "end it");
  board.Waits(kWhat, At(20), "waits for a lock", "end it");
  EXPECT_TRUE(board.Read()[0].waits);
  EXPECT_EQ(board.Read()[0].since, At(10)) << "it has not worked since";
  board.WaitsNoMore(kWhat);
  EXPECT_FALSE(board.Read()[0].waits);
  EXPECT_EQ(board.Read()[0].message, "lock timeout");
  EXPECT_EQ(board.Read()[0].since, At(10));
  board.Waits(kWhat, At(30), "waits for a lock", "end it");
  board.Failed(kWhat, At(40), "lock timeout again", "end it");
  EXPECT_EQ(board.Read()[0].message, "lock timeout again");
  EXPECT_EQ(board.Read()[0].since, At(10));
}

TEST(BesideBoard, OfALookThatFailsWhatIsKnownIsOld) {
  BesideBoard board;
  board.Failed(kWhat, At(10), "no", "grant");
  EXPECT_FALSE(board.cannot_look());
  board.Failed(Beside::kSlotLook, At(10), "refused", "");
  EXPECT_TRUE(board.cannot_look());
  board.Works(Beside::kSlotLook);
  EXPECT_FALSE(board.cannot_look());
}

}  // namespace
}  // namespace walduct::metrics
