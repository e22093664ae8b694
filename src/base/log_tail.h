// LogTail: the last lines of the log by connector, in memory, for who asks the process. Off until
// a process that is asked turns it on.
//
// Bounded: of a connector kLines lines, together kBytes long, of at most kNames connectors. Lines
// that name no connector are kept under the empty name.
//
// Thread-safety: any thread. A line that is written takes a lock for as long as a copy of it takes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"

namespace walduct::log {

class LogTail {
 public:
  static constexpr size_t kLines = 100;
  static constexpr size_t kBytes = 16u << 10;
  static constexpr size_t kMostOfALine = 2000;
  static constexpr size_t kNames = 2000;

  struct Line {
    uint64_t number = 0;  // of all lines, from 1 on
    absl::Time at;
    Level level = Level::kInfo;
    std::string text;  // without time, level and connector
  };

  void Keep(const std::string& connector, Level level, absl::Time at, std::string text);
  // Those behind that number, the oldest first.
  std::vector<Line> Read(const std::string& connector, uint64_t after = 0) const;
  // All others are forgotten; never those without a connector.
  void KeepOnly(const std::set<std::string>& connectors);

 private:
  struct Lines {
    std::deque<Line> all;
    size_t bytes = 0;
  };

  mutable Mutex mutex_;
  std::map<std::string, Lines> connectors_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
};

// From now on lines are kept, in KeptLines. clock is borrowed for good.
void KeepLines(Clock& clock);
// The process's own.
LogTail& KeptLines();

// When a line would be written now: for whoever writes one of many. Goes on evenly.
absl::Duration Now();

}  // namespace walduct::log
