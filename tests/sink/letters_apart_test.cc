#include "sink/letters_apart.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>

#include "tests/support/simulated_time.h"

namespace walduct::sink {
namespace {

// Takes what it is given, or refuses each.
class Place final : public Sink {
 public:
  Place(test::SimulatedTime* time, std::string name) : time_(*time), name_(std::move(name)) {}

  size_t room = 100;
  bool refuses = false, answers = true;

  bool HasCapacity() override { return held_.size() < room; }
  Load load() const override { return {.bytes = held_.size()}; }
  absl::Status Write(const event::Record&, Ticket ticket) override {
    if (!HasCapacity()) return absl::ResourceExhaustedError("no room");
    held_.push_back(ticket);
    return absl::OkStatus();
  }
  absl::Status Poll(AckHandler& acks) override {
    for (; answers && !held_.empty(); held_.pop_front()) {
      if (!refuses) {
        acks.OnAcknowledged(held_.front(), 1);
        continue;
      }
      const absl::Status taken =
          acks.OnRefused({}, held_.front(), absl::InvalidArgumentError("refused"));
      if (absl::IsResourceExhausted(taken)) break;
      if (!taken.ok()) return taken;
    }
    return absl::OkStatus();
  }
  int ready_fd() const override { return -1; }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override {
    const absl::Status polled = Poll(acks);
    if (!polled.ok() || held_.empty()) return polled;
    time_.Advance(timeout);
    return absl::DeadlineExceededError("not all");
  }
  std::string WaitingFor() override { return name_; }
  std::string WaitingHint() const override { return "start " + name_; }

 private:
  test::SimulatedTime& time_;
  const std::string name_;
  std::deque<Ticket> held_;
};

class LettersApartTest : public testing::Test, public AckHandler {
 protected:
  LettersApartTest() {
    auto records = std::make_unique<Place>(&time_, "records");
    auto letters = std::make_unique<Place>(&time_, "letters");
    records_ = records.get();
    letters_ = letters.get();
    sink_ = *LettersApart::Join(std::move(records), std::move(letters), time_.environment());
  }
  void OnAcknowledged(Ticket, uint32_t count) override { acknowledged_ += count; }
  absl::Status OnRefused(const event::Record& record, Ticket ticket, const absl::Status&) override {
    return sink_->WriteLetter(record, ticket);
  }

  test::SimulatedTime time_;
  Place* records_ = nullptr;
  Place* letters_ = nullptr;
  std::unique_ptr<Sink> sink_;
  uint32_t acknowledged_ = 0;
};

TEST_F(LettersApartTest, AFlushMakesRoomForLetters) {
  records_->refuses = true;
  letters_->room = 1;
  for (Ticket ticket = 1; ticket <= 3; ++ticket) ASSERT_TRUE(sink_->Write({}, ticket).ok());
  EXPECT_EQ(sink_->Flush(*this, absl::Seconds(1)), absl::OkStatus());
  EXPECT_EQ(acknowledged_, 3u);
}

TEST_F(LettersApartTest, AFlushEndsInTime) {
  letters_->answers = false;
  records_->refuses = true;
  letters_->room = 1;
  for (Ticket ticket = 1; ticket <= 3; ++ticket) ASSERT_TRUE(sink_->Write({}, ticket).ok());
  const absl::Duration begin = time_.Monotonic();
  EXPECT_TRUE(absl::IsDeadlineExceeded(sink_->Flush(*this, absl::Seconds(1))));
  EXPECT_LE(time_.Monotonic() - begin, absl::Seconds(1));
}

TEST_F(LettersApartTest, WhichPlaceIsWaitedForIsTold) {
  records_->answers = letters_->answers = false;
  ASSERT_TRUE(sink_->Write({}, 1).ok());
  EXPECT_EQ(sink_->WaitingFor(), "records");
  ASSERT_TRUE(sink_->WriteLetter({}, 2).ok());
  EXPECT_EQ(sink_->WaitingFor(), "records");
  records_->answers = true;
  ASSERT_TRUE(sink_->Poll(*this).ok());
  EXPECT_EQ(sink_->WaitingFor(), "letters, for dead letters");
  EXPECT_EQ(sink_->WaitingHint(), "start letters");
  letters_->room = 1;
  ASSERT_TRUE(sink_->Write({}, 3).ok());
  EXPECT_EQ(sink_->WaitingHint(), "start letters") << "a refused record would wait for it, too";
}

}  // namespace
}  // namespace walduct::sink
