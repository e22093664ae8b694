#include "delivery/settling/destination_meter.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "delivery/settling/ack_tracker.h"
#include "tests/support/simulated_time.h"

namespace walduct::delivery {
namespace {

class DestinationMeterTest : public testing::Test {
 protected:
  metrics::DestinationCounters& Of(absl::string_view destination) {
    return *metrics_.Of(destination);
  }
  // As the pipeline does.
  uint64_t Write(absl::string_view destination, size_t bytes = 10) {
    const uint64_t ticket = tracker_.NextTicket();
    meter_->OnWritten(ticket, destination, bytes);
    tracker_.OnWritten();
    return ticket;
  }
  // As whoever drains the sink does.
  void Acknowledge(uint64_t ticket, uint32_t count = 1) {
    tracker_.OnAcknowledged(ticket, count);
    if (tracker_.acknowledged(ticket)) meter_->OnAcknowledged(ticket);
  }

  test::SimulatedTime time_;
  metrics::DestinationMetrics metrics_;
  AckTracker tracker_;
  std::optional<DestinationMeter> meter_{std::in_place, &metrics_, &time_};
};

TEST_F(DestinationMeterTest, EachDestinationHasItsOwn) {
  const uint64_t ticket = Write("a", 3);
  Write("b", 5);
  Write("a", 4);
  EXPECT_EQ(Of("a").in_flight.value(), 2u);
  Acknowledge(ticket, 2);
  EXPECT_EQ(Of("a").records.value(), 0u) << "whose they are nobody knows";
  Acknowledge(ticket);
  EXPECT_EQ(Of("a").records.value(), 2u);
  EXPECT_EQ(Of("a").bytes.value(), 7u);
  EXPECT_EQ(Of("b").bytes.value(), 5u);
  EXPECT_EQ(Of("a").in_flight.value(), 0u);
  EXPECT_EQ(Of("a").last_acknowledged_us.value(),
            static_cast<uint64_t>(absl::ToUnixMicros(time_.Now())));
  Acknowledge(Write("b", 1));
  EXPECT_EQ(Of("b").records.value(), 2u) << "under the same ticket";
}

TEST_F(DestinationMeterTest, GroupsAreAcknowledgedInAnyOrder) {
  const uint64_t first = Write("a");
  for (uint32_t i = 1; i < AckTracker::kMaxGroupRecords; ++i) Write("a");
  const uint64_t second = Write("a");
  ASSERT_NE(first, second);
  Acknowledge(second);
  EXPECT_EQ(Of("a").records.value(), 1u);
  Acknowledge(first, AckTracker::kMaxGroupRecords);
  EXPECT_EQ(Of("a").records.value(), 1u + AckTracker::kMaxGroupRecords);
  EXPECT_EQ(Of("a").in_flight.value(), 0u);
}

TEST_F(DestinationMeterTest, ARefusedRecordIsItsLettersOrNobodys) {
  event::Record record;
  record.topic = "a";
  record.value = "0123456789";
  const uint64_t ticket = Write("a");
  Write("b");
  Write("a");
  meter_->OnRefused(ticket, record, "dead");
  meter_->OnRefused(ticket, record, "");
  meter_->OnNotTaken("a");
  EXPECT_EQ(Of("a").refused.value(), 3u);
  EXPECT_EQ(Of("a").in_flight.value(), 0u);
  EXPECT_EQ(Of("dead").in_flight.value(), 1u);
  Acknowledge(ticket, 3);
  EXPECT_EQ(Of("a").records.value(), 0u);
  EXPECT_EQ(Of("b").records.value(), 1u);
  EXPECT_EQ(Of("dead").records.value(), 1u);
  EXPECT_EQ(Of("dead").bytes.value(), 10u);
}

TEST_F(DestinationMeterTest, NothingIsInFlightBehindItsEnd) {
  Acknowledge(Write("a"));
  Write("a");
  Write("b");
  meter_.reset();
  EXPECT_EQ(Of("a").in_flight.value(), 0u);
  EXPECT_EQ(Of("b").in_flight.value(), 0u);
  EXPECT_EQ(Of("a").records.value(), 1u);
}

TEST_F(DestinationMeterTest, ATopicForEachRowIsOneOfTheOthers) {
  for (int i = 0; i < 2000; ++i) Acknowledge(Write(absl::StrCat("t", i)));
  EXPECT_EQ(Of("t0").records.value(), 1u);
  EXPECT_EQ(Of("other").records.value(), 2000u - metrics::DestinationMetrics::kMaxDestinations);
}

}  // namespace
}  // namespace walduct::delivery
