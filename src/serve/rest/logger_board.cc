#include "serve/rest/logger_board.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/log.h"

namespace walduct::serve {
namespace {

constexpr absl::string_view kRoot = "root";
constexpr absl::string_view kOwn = "walduct";
constexpr absl::string_view kRooms[] = {
    "cli",         "delivery", "engine", "incremental", "kafka",   "offset",
    "operate",     "outbox",   "poll",   "postgres",    "recover", "registry",
    "replication", "route",    "serve",  "sink",        "slot",    "snapshot"};
constexpr absl::string_view kLevels[] = {"ALL",  "TRACE", "DEBUG", "INFO",
                                         "WARN", "ERROR", "FATAL", "OFF"};

log::Level LogLevelOf(absl::string_view level) {
  if (level == "INFO") return log::Level::kInfo;
  if (level == "WARN") return log::Level::kWarn;
  const bool quiet = level == "ERROR" || level == "FATAL" || level == "OFF";
  return quiet ? log::Level::kError : log::Level::kDebug;
}

// Of a logger that is a part of the log.
void Apply(absl::string_view logger, absl::string_view level) {
  if (logger == kOwn) log::SetLevel(LogLevelOf(level));
  if (!absl::ConsumePrefix(&logger, kOwn) || !absl::ConsumePrefix(&logger, ".")) return;
  const auto room = std::find(std::begin(kRooms), std::end(kRooms), logger);
  if (room != std::end(kRooms)) log::SetLevel(*room, LogLevelOf(level));
}

}  // namespace

LoggerBoard::LoggerBoard(const std::string& level) {
  // No line is written to it: this is what unknown names inherit.
  loggers_[std::string(kRoot)] = {.level = "WARN"};
  loggers_[std::string(kOwn)] = {.level = level};
  for (const absl::string_view room : kRooms)
    loggers_[absl::StrCat(kOwn, ".", room)] = {.level = level};
}

// The nearest one above that has a level of its own.
std::string LoggerBoard::LevelOf(const std::string& logger) const {
  std::string name = logger;
  while (!loggers_.contains(name)) {
    const size_t dot = name.rfind('.');
    name = dot == std::string::npos ? std::string(kRoot) : name.substr(0, dot);
  }
  return loggers_.at(name).level;
}

absl::StatusOr<std::vector<std::string>> LoggerBoard::Set(const std::string& logger,
                                                          absl::string_view level, absl::Time now) {
  const std::string word = absl::AsciiStrToUpper(absl::StripAsciiWhitespace(level));
  if (std::find(std::begin(kLevels), std::end(kLevels), word) == std::end(kLevels))
    return absl::NotFoundError(absl::StrCat("invalid log level '", level, "'."));
  const bool root = absl::EqualsIgnoreCase(logger, kRoot);
  const std::string name = root ? std::string(kRoot) : logger;
  const MutexLock lock(mutex_);
  std::vector<std::string> changed;
  if (LevelOf(name) != word) {
    changed.push_back(name);
  } else {
    loggers_.try_emplace(name, LoggerLevel{.level = word});  // known from now on
  }
  for (const auto& [other, setting] : loggers_) {
    const bool below = root || absl::StartsWith(other, name);
    if (below && other != name && setting.level != word) changed.push_back(other);
  }
  std::sort(changed.begin(), changed.end());  // "walduct" goes before its rooms
  for (const std::string& one : changed) {
    loggers_[one] = {.level = word, .modified = now};
    Apply(one, word);
  }
  return changed;
}

std::optional<LoggerLevel> LoggerBoard::Find(const std::string& logger) const {
  const MutexLock lock(mutex_);
  const auto found = loggers_.find(absl::EqualsIgnoreCase(logger, kRoot) ? "root" : logger);
  if (found == loggers_.end()) return std::nullopt;
  return found->second;
}

std::map<std::string, LoggerLevel> LoggerBoard::All() const {
  const MutexLock lock(mutex_);
  return loggers_;
}

}  // namespace walduct::serve
