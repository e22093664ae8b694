#include "admin/console/history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/log_tail.h"

namespace walduct::admin {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

uint64_t RowsOf(const metrics::ConnectorMetrics& numbers) {
  uint64_t rows = 0;
  for (const metrics::Counter& counter : numbers.events_seen) rows += counter.value();
  return rows;
}

}  // namespace

void History::Start() {
  thread_.Start([this] {
    do {
      Look();
    } while (thread_.Pause(kEvery));
  });
}

void History::Look() {
  const ProcessView process = ViewOf(connectors_, clock_);
  std::set<std::string> names;
  {
    const MutexLock lock(mutex_);
    for (const auto* const all : {&process.connectors, &process.resting}) {
      for (const ShownConnector& one : *all) {
        if (names.insert(one.status.name).second) LookAtOne(process, one);
      }
    }
    std::erase_if(series_, [&names](const auto& one) { return !names.contains(one.first); });
  }
  log::KeptLines().KeepOnly(names);
}

// Looks that could not be (a machine that slept) leave a gap.
void History::LookAtOne(const ProcessView& process, const ShownConnector& one) {
  const auto [found, made] = series_.try_emplace(one.status.name);
  Series& series = found->second;
  if (made) series.points.reserve(kKept);
  const uint64_t rows = RowsOf(*one.metrics);
  const std::optional<absl::Duration> lag = one.metrics->lag.Read(process.now);
  const std::optional<metrics::SlotView> slot = one.metrics->slot.Read();
  Point point{
      .rate = kUnknown,
      .lag = lag ? static_cast<float>(std::max(0.0, absl::ToDoubleSeconds(*lag))) : kUnknown,
      .wal = slot ? static_cast<float>(slot->retained_bytes) : kUnknown};
  const double seconds = absl::ToDoubleSeconds(process.monotonic - series.at);
  if (!made && seconds > 0 && rows >= series.rows)
    point.rate = static_cast<float>(static_cast<double>(rows - series.rows) / seconds);
  if (!made) {
    const double missed = std::round(seconds / absl::ToDoubleSeconds(kEvery)) - 1;
    for (int i = 0; i < std::min<double>(missed, kKept); ++i)
      Add(&series, {.rate = kUnknown, .lag = kUnknown, .wal = kUnknown});
  }
  Add(&series, point);
  series.at = process.monotonic;
  series.last = process.now;
  series.rows = rows;
}

void History::Add(Series* series, const Point& point) {
  if (series->points.size() < kKept) {
    series->points.push_back(point);
    return;
  }
  series->points[series->next] = point;
  series->next = (series->next + 1) % kKept;
}

std::vector<History::Point> History::InOrder(const Series& series) {
  std::vector<Point> points = series.points;
  std::rotate(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(series.next),
              points.end());
  return points;
}

std::optional<History::View> History::Of(const std::string& connector) const {
  const MutexLock lock(mutex_);
  const auto found = series_.find(connector);
  if (found == series_.end()) return std::nullopt;
  return View{.last = found->second.last, .points = InOrder(found->second)};
}

std::optional<double> History::RateOf(const std::string& connector) const {
  const MutexLock lock(mutex_);
  const auto found = series_.find(connector);
  if (found == series_.end() || found->second.points.empty()) return std::nullopt;
  const Series& series = found->second;
  const size_t last = (series.next + series.points.size() - 1) % series.points.size();
  const float rate = series.points[last].rate;
  if (std::isnan(rate)) return std::nullopt;
  return static_cast<double>(rate);
}

std::string History::TrendOf(const std::string& connector, size_t digits) const {
  const std::optional<View> view = Of(connector);
  if (!view || view->points.size() < 3) return "";
  const size_t count = view->points.size(), shown = std::min(digits, count);
  std::vector<double> means;
  for (size_t i = 0; i < shown; ++i) {
    double sum = 0;
    int known = 0;
    for (size_t at = i * count / shown; at < (i + 1) * count / shown; ++at) {
      if (std::isnan(view->points[at].rate)) continue;
      sum += static_cast<double>(view->points[at].rate);
      ++known;
    }
    means.push_back(known == 0 ? 0 : sum / known);
  }
  const double most = *std::max_element(means.begin(), means.end());
  if (most <= 0) return "";
  std::string text;
  for (const double mean : means) {
    const int digit = static_cast<int>(std::lround(35 * mean / most));
    text += static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
  }
  return text;
}

}  // namespace walduct::admin
