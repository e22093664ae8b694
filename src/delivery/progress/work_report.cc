#include "delivery/progress/work_report.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/log.h"

namespace walduct::delivery {
namespace {

using metrics::EventKind;

constexpr absl::Duration kFirst = absl::Seconds(10);
constexpr absl::Duration kInterval = absl::Minutes(1);
constexpr uint64_t kWorthALine = 1000;  // changes

}  // namespace

WorkReport::WorkReport(Clock& clock, const metrics::ConnectorMetrics& metrics)
    : clock_(clock), metrics_(metrics), said_(Now()) {}

// Rows of a snapshot have lines of their own.
WorkReport::Count WorkReport::Now() const {
  Count count{.changes = 0, .bytes = metrics_.received_bytes.value()};
  for (size_t i = 0; i < metrics_.events_seen.size(); ++i) {
    if (i != static_cast<size_t>(EventKind::kRead))
      count.changes += metrics_.events_seen[i].value();
  }
  return count;
}

void WorkReport::Turn() {
  const Count count = Now();
  if (!due_ && count.changes == said_.changes) return;
  const absl::Duration now = clock_.Monotonic();
  if (!due_) {
    since_ = now;
    due_ = now + kFirst;
    return;
  }
  if (now < *due_) return;
  if (count.changes - said_.changes < kWorthALine) {
    said_ = count;
    due_.reset();
    return;
  }
  Say(count, now);
  said_ = count;
  since_ = now;
  due_ = now + kInterval;
}

void WorkReport::Say(const Count& count, absl::Duration now) {
  const double seconds = std::max(absl::ToDoubleSeconds(now - since_), 0.001);
  const auto changes = static_cast<double>(count.changes - said_.changes);
  const auto megabytes = static_cast<double>(count.bytes - said_.bytes) / (1 << 20);
  const std::optional<absl::Duration> lag = metrics_.lag.Read(clock_.Now());
  log::Info("streamed",
            {{"changes", count.changes - said_.changes},
             {"seconds", absl::ToInt64Seconds(now - since_)},
             {"changes_per_s", static_cast<uint64_t>(changes / seconds)},
             {"wal_mb_per_s", absl::StrFormat("%.1f", megabytes / seconds)},
             {"late_s", lag ? absl::StrFormat("%.1f", absl::ToDoubleSeconds(*lag)) : "unknown"},
             {"in_flight_bytes", metrics_.in_flight_bytes.value()},
             {"retained_wal_bytes", metrics_.retained_wal_bytes.value()}});
}

}  // namespace walduct::delivery
