#include "metrics/destination_metrics.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace walduct::metrics {
namespace {

TEST(DestinationMetrics, OthersShareNumbersBeyondABound) {
  DestinationMetrics destinations;
  for (size_t i = 0; i < DestinationMetrics::kMaxDestinations + 10; ++i)
    destinations.Of(absl::StrCat("t", i))->records.Add();
  destinations.Of("t0")->records.Add();
  EXPECT_EQ(destinations.Of("t0")->records.value(), 2u);
  EXPECT_EQ(destinations.Of(DestinationMetrics::kOthers)->records.value(), 10u);
  EXPECT_EQ(destinations.Read().size(), DestinationMetrics::kMaxDestinations + 1);
}

}  // namespace
}  // namespace walduct::metrics
