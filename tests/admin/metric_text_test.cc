#include "admin/metric_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::admin {
namespace {

using testing::HasSubstr;
using testing::Not;
using enum MetricText::Format;

constexpr Family kRows = {"rows_total", MetricType::kCounter, "rows"};
constexpr Family kSize = {"size", MetricType::kGauge, "size"};
constexpr Family kOther = {"other", MetricType::kUntyped, "other"};
constexpr Family kTime = {"time_seconds", MetricType::kHistogram, "time"};

TEST(MetricText, PrintsFamiliesTogether) {
  MetricText out;
  out.Add(kRows, {{"t", "a"}}, uint64_t{18446744073709551615u});
  out.Add(kSize, {}, 0.5);
  out.Add(kRows, {{"t", "b"}}, uint64_t{2});
  EXPECT_EQ(out.Print(kPrometheus),
            "# HELP rows_total rows\n# TYPE rows_total counter\n"
            "rows_total{t=\"a\"} 18446744073709551615\nrows_total{t=\"b\"} 2\n"
            "# HELP size size\n# TYPE size gauge\nsize 0.5\n");
}

TEST(MetricText, OpenMetricsNamesCountersWithoutTotalAndEnds) {
  MetricText out;
  out.Add(kRows, {}, uint64_t{1});
  out.Add(kOther, {}, -1.0);
  EXPECT_EQ(out.Print(kOpenMetrics),
            "# HELP rows rows\n# TYPE rows counter\nrows_total 1\n"
            "# HELP other other\n# TYPE other unknown\nother -1\n# EOF\n");
}

TEST(MetricText, LabelsOfAnyBytesStayOnTheirLine) {
  MetricText out;
  out.Add(kSize, {{"t", "a\"b\\c\nd\xFF} 1\r"}}, uint64_t{1});
  EXPECT_THAT(out.Print(kPrometheus),
              HasSubstr("size{t=\"a\\\"b\\\\c\\nd\xEF\xBF\xBD} 1\r\"} 1\n"));
}

TEST(MetricText, SameLabelsBecomeOneSample) {
  MetricText out;
  out.Add(kSize, {{"t", "\xFE"}}, uint64_t{1});
  out.Add(kSize, {{"t", "\xFF"}}, uint64_t{2});
  EXPECT_THAT(out.Print(kPrometheus), HasSubstr("size{t=\"\xEF\xBF\xBD\"} 3\n"));
  EXPECT_THAT(out.Print(kPrometheus), Not(HasSubstr("} 1\n")));
}

TEST(MetricText, HistogramsAreCumulative) {
  metrics::Histogram histogram;
  histogram.Observe(absl::Milliseconds(1));
  histogram.Observe(absl::Milliseconds(3));
  MetricText out;
  out.Add(kTime, {{"c", "x"}}, histogram);
  const std::string text = out.Print(kOpenMetrics);
  EXPECT_THAT(text, HasSubstr("time_seconds_bucket{c=\"x\",le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("time_seconds_bucket{c=\"x\",le=\"0.005\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("time_seconds_bucket{c=\"x\",le=\"1.0\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("time_seconds_bucket{c=\"x\",le=\"+Inf\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("time_seconds_sum{c=\"x\"} 0.004\n"));
  EXPECT_THAT(text, HasSubstr("time_seconds_count{c=\"x\"} 2\n"));
}

}  // namespace
}  // namespace walduct::admin
