// History: the last hour of each connector of the process, for charts: rows a second, lag, retained
// WAL, looked at every ten seconds. What a connector costs is bounded: kKept points of 12 bytes
// (4,320 in all); those that are no more are forgotten.
//
// Thread-safety: any thread. The thread of its own looks at boards and counters, as every page
// does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "admin/process_view.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/worker_thread.h"

namespace walduct::admin {

class History {
 public:
  static constexpr absl::Duration kEvery = absl::Seconds(10);
  static constexpr size_t kKept = 360;

  // What is not known is not a number.
  struct Point {
    float rate = 0;  // rows a second since the point before
    float lag = 0;   // seconds
    float wal = 0;   // bytes that the slot keeps
  };
  struct View {
    absl::Time last;            // when the last of them was
    std::vector<Point> points;  // kEvery apart, the oldest first
  };

  // Both are borrowed.
  History(const engine::Connectors& connectors, Clock& clock)
      : connectors_(connectors), clock_(clock) {}

  // A thread looks every kEvery from now on.
  void Start();
  // One look; by the thread, and by tests.
  void Look();

  // Absent: not looked at yet.
  std::optional<View> Of(const std::string& connector) const;
  // Of the last two looks.
  std::optional<double> RateOf(const std::string& connector) const;
  // The rates as so many digits at most, 0 to z, the oldest first: a glimpse. Empty: too few,
  // or nothing was published.
  std::string TrendOf(const std::string& connector, size_t digits) const;

 private:
  struct Series {
    absl::Duration at;  // of the last look, on the monotonic clock
    absl::Time last;
    uint64_t rows = 0;          // counted by then
    std::vector<Point> points;  // a ring once it is full
    size_t next = 0;            // the oldest then
  };
  static void Add(Series* series, const Point& point);
  static std::vector<Point> InOrder(const Series& series);
  void LookAtOne(const ProcessView& process, const ShownConnector& one)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const engine::Connectors& connectors_;
  Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, Series> series_ ABSL_GUARDED_BY(mutex_);
  WorkerThread thread_{mutex_};  // last: uses all of the above
};

}  // namespace walduct::admin
