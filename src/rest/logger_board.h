// LoggerBoard: levels of loggers, as Connect's /admin/loggers shows and sets them. There is one log
// here: its level is that of "root". Levels of other names are kept and shown, and change nothing.
//
// Thread-safety: any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::rest {

struct LoggerLevel {
  std::string level;
  std::optional<absl::Time> modified = {};
};

class LoggerBoard {
 public:
  // level: of the log, as it is now.
  explicit LoggerBoard(std::string level) : loggers_{{"root", {.level = std::move(level)}}} {}

  // The loggers whose level changed. NotFound: no such level.
  absl::StatusOr<std::vector<std::string>> Set(const std::string& logger, absl::string_view level,
                                               absl::Time now);
  std::optional<LoggerLevel> Find(const std::string& logger) const;
  std::map<std::string, LoggerLevel> All() const;

 private:
  std::string LevelOf(const std::string& logger) const;

  mutable std::mutex mutex_;
  std::map<std::string, LoggerLevel> loggers_;  // guarded by mutex_
};

}  // namespace walduct::rest
