#include "slot/duties/ownership.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/fake_offset_store.h"
#include "tests/support/fake_sink.h"

namespace walduct::slot {
namespace {

class CountingSink final : public sink::Sink {
 public:
  bool HasCapacity() override { return true; }
  absl::Status Write(const event::Record&, sink::Ticket) override { return absl::OkStatus(); }
  absl::Status Poll(sink::AckHandler&) override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Flush(sink::AckHandler&, absl::Duration) override { return absl::OkStatus(); }
  void RenewPermit() override { ++renewed; }
  int renewed = 0;
};

class OwnershipTest : public testing::Test {
 protected:
  test::SimulatedTime time_;
  CountingSink sink_;
  test::FakeDisk disk_;
  test::FakeOffsetStore store_{&time_, &disk_};
  absl::Status answer_, session_;
  int asked_ = 0;
  Ownership ownership_{{.clock = &time_,
                        .check =
                            [this] {
                              ++asked_;
                              return answer_;
                            },
                        .session = [this] { return session_; },
                        .sink = &sink_,
                        .store = &store_}};
};

TEST_F(OwnershipTest, ALoopThatBeatsIsNotAskedAbout) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(ownership_.Beat().ok());
    time_.WaitReadable({}, Ownership::kBeat);
  }
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(sink_.renewed, 50);
}

TEST_F(OwnershipTest, WithoutTheSessionThatKeepsOthersAwayNothingIsSent) {
  EXPECT_TRUE(ownership_.Beat().ok());
  session_ = absl::UnavailableError("terminated by the administrator");
  EXPECT_EQ(ownership_.Beat(), session_);
  EXPECT_EQ(sink_.renewed, 1);
  EXPECT_TRUE(ownership_.lost());
}

TEST_F(OwnershipTest, AfterAStandstillTheServerIsAskedBeforeThePermitIsRenewed) {
  EXPECT_TRUE(ownership_.Beat().ok());
  time_.WaitReadable({}, absl::Seconds(5));
  answer_ =
      Error(absl::StatusCode::kFailedPrecondition, "slot_taken_over", "it is pid 7's", "hint");
  const absl::Status beat = ownership_.Beat();
  EXPECT_EQ(ErrorReason(beat), "slot_taken_over");
  EXPECT_EQ(beat.message(),
            "this process stood still for 5s, and meanwhile it is pid 7's; what it had not "
            "delivered is dropped");
  EXPECT_EQ(sink_.renewed, 1);
  EXPECT_TRUE(ownership_.lost());
}

TEST_F(OwnershipTest, ASlotThatIsStillOursIsGoneOnWith) {
  EXPECT_TRUE(ownership_.Beat().ok());
  time_.WaitReadable({}, absl::Seconds(5));
  EXPECT_TRUE(ownership_.Beat().ok());
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(sink_.renewed, 2);
  EXPECT_TRUE(ownership_.Beat().ok());
  EXPECT_EQ(asked_, 1);
}

TEST_F(OwnershipTest, OnceLostNothingIsRenewed) {
  EXPECT_TRUE(ownership_.Beat().ok());
  ownership_.Lose();
  time_.WaitReadable({}, absl::Seconds(5));
  EXPECT_TRUE(ownership_.Beat().ok());
  EXPECT_EQ(sink_.renewed, 1);
  EXPECT_EQ(asked_, 0);
}

}  // namespace
}  // namespace walduct::slot
