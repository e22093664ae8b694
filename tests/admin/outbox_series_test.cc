// What is told of polled outbox tables beside their rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "admin/metric_text.h"
#include "admin/process_view.h"
#include "admin/series.h"
#include "admin/status_page.h"

namespace walduct::admin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(OutboxSeries, DeadRowsOfOutboxTablesAreToldWithWhoKeepsThem) {
  metrics::ConnectorMetrics metrics;
  ProcessView process;
  process.connectors.emplace_back().metrics = &metrics;
  const auto series = [&] {
    MetricText text;
    AddOwnSeries(process, &text);
    return text.Print(MetricText::Format::kPrometheus);
  };
  process.connectors.front().status.state = engine::ConnectorState::kRunning;
  metrics.backlog.Show({.unpublished = 1}, absl::InfiniteDuration());
  metrics.outbox_claim.Observe(absl::Milliseconds(3));
  EXPECT_THAT(series(), AllOf(HasSubstr("walduct_outbox_claim_seconds_count{connector=\"\"} 1\n"),
                              HasSubstr("walduct_outbox_mark_seconds_count{connector=\"\"} 0\n"),
                              Not(HasSubstr("walduct_outbox_dead_rows"))));
  metrics::OutboxServerView view{.queue_used = 0.25,
                                 .dead_rows = metrics::kManyDeadRows,
                                 .holder = "session 7",
                                 .release = "end it",
                                 .held = absl::Seconds(90)};
  metrics.outbox_server.Show(view);
  EXPECT_THAT(series(),
              AllOf(HasSubstr("walduct_outbox_dead_rows{connector=\"\"} 10000\n"),
                    HasSubstr("walduct_outbox_snapshot_held_seconds{connector=\"\"} 90\n"),
                    HasSubstr("walduct_outbox_notify_queue_ratio{connector=\"\"} 0.25\n")));
  EXPECT_THAT(StatusJson(process),
              HasSubstr(R"("dead_rows":10000,"notify_queue":0.25,"dead_rows_kept_by":"session 7",)"
                        R"("dead_rows_kept_seconds":90.0,"dead_rows_hint":"end it"})"));
  view.held = absl::Seconds(59);
  metrics.outbox_server.Show(view);
  EXPECT_THAT(StatusJson(process),
              AllOf(HasSubstr("\"dead_rows\":10000"), Not(HasSubstr("dead_rows_kept_by"))));
  view.dead_rows.reset();
  metrics.outbox_server.Show(view);
  EXPECT_THAT(series(), Not(HasSubstr("walduct_outbox_dead_rows")));
  metrics.outbox_server.Forget();
  EXPECT_THAT(series(), Not(HasSubstr("walduct_outbox_notify_queue_ratio")));
}

}  // namespace
}  // namespace walduct::admin
