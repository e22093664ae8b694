// LoggerBoard: levels of loggers, as Connect's /admin/loggers shows and sets them. "walduct" is the
// whole log, "walduct.engine" the lines of room engine, and "root", which no line is written to, is
// above them: who sets it sets all. Levels of other names are kept and shown, and change nothing.
//
// Thread-safety: any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/mutex.h"

namespace walduct::serve {

struct LoggerLevel {
  std::string level;
  std::optional<absl::Time> modified = {};
};

class LoggerBoard {
 public:
  // level: of the log, as it is now.
  explicit LoggerBoard(const std::string& level);

  // The loggers whose level changed. NotFound: no such level.
  absl::StatusOr<std::vector<std::string>> Set(const std::string& logger, absl::string_view level,
                                               absl::Time now);
  std::optional<LoggerLevel> Find(const std::string& logger) const;
  std::map<std::string, LoggerLevel> All() const;

 private:
  std::string LevelOf(const std::string& logger) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, LoggerLevel> loggers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::serve
