#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/log_tail.h"
#include "base/plain_text.h"
#include "base/utf8.h"

namespace walduct::log {
namespace {

std::atomic<Format> g_format{Format::kText};
std::atomic<Clock*> g_keeps{nullptr};  // last lines, by that clock
thread_local std::string t_connector;

// "engine" of ".../src/engine/lifecycle/connector.cc".
absl::string_view RoomOf(absl::string_view file) {
  constexpr absl::string_view kSources = "/src/";
  const size_t begin = file.rfind(kSources);
  if (begin == absl::string_view::npos) return "";
  file.remove_prefix(begin + kSources.size());
  return file.substr(0, file.find('/'));
}

class Levels {
 public:
  void SetAll(Level level) {
    const std::lock_guard<std::mutex> lock(mutex_);
    all_ = level;
    rooms_.clear();
  }

  void Set(absl::string_view room, Level level) {
    const std::lock_guard<std::mutex> lock(mutex_);
    rooms_[std::string(room)] = level;
  }

  bool Shows(Level level, absl::string_view file) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = rooms_.empty() ? rooms_.end() : rooms_.find(RoomOf(file));
    return level >= (found == rooms_.end() ? all_ : found->second);
  }

 private:
  mutable std::mutex mutex_;
  Level all_ = Level::kInfo;                         // guarded by mutex_
  std::map<std::string, Level, std::less<>> rooms_;  // guarded by mutex_
};

Levels& AllLevels() {
  static Levels levels;
  return levels;
}

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto created = spdlog::stderr_color_mt("walduct");
    created->set_level(spdlog::level::debug);
    created->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %v", spdlog::pattern_time_type::utc);
    return created;
  }();
  return *logger;
}

// Quoted, and still one line: the quotes and backslashes first, then what is not plain.
std::string Quoted(absl::string_view value) {
  std::string quoted;
  AppendJsonString(value, &quoted);
  return PlainText(quoted);
}

std::string TextLine(absl::string_view before, absl::string_view message, Fields fields) {
  std::string line = PlainText(absl::StrCat(before, message));
  for (const Field& field : fields) {
    absl::StrAppend(&line, " ", field.key, "=");
    const bool bare = !field.value.empty() &&
                      field.value.find_first_of(" \"=\n\t") == std::string::npos &&
                      IsPlainText(field.value);
    absl::StrAppend(&line, bare ? field.value : Quoted(field.value));
  }
  return line;
}

void AppendJson(absl::string_view text, std::string* out) {
  AppendJsonString(IsValidUtf8(text) ? text : ReplaceInvalidUtf8(text), out);
}

// The members after time and level; the pattern writes those and the braces.
std::string JsonMembers(absl::string_view message, Fields fields) {
  std::string line = "\"message\":";
  AppendJson(message, &line);
  if (!t_connector.empty()) {
    line += ",\"connector\":";
    AppendJson(t_connector, &line);
  }
  for (const Field& field : fields) {
    line += ',';
    AppendJson(field.key, &line);
    line += ':';
    if (field.number) {
      line += field.value;
    } else {
      AppendJson(field.value, &line);
    }
  }
  return line;
}

spdlog::level::level_enum ToSpdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

void Write(Level level, absl::string_view message, Fields fields, const char* file) {
  if (!AllLevels().Shows(level, file)) return;
  const std::string connector = t_connector.empty() ? "" : absl::StrCat("[", t_connector, "] ");
  const std::string line = g_format == Format::kJson ? JsonMembers(message, fields)
                                                     : TextLine(connector, message, fields);
  if (Clock* const clock = g_keeps; clock != nullptr)
    KeptLines().Keep(t_connector, level, clock->Now(), TextLine("", message, fields));
  Logger().log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

void KeepLines(Clock& clock) { g_keeps = &clock; }

LogTail& KeptLines() {
  static LogTail& tail = *new LogTail();  // threads that log may outlive statics
  return tail;
}

void Configure(Level level, Format format) {
  g_format = format;
  SetLevel(level);
  if (format == Format::kJson) {
    Logger().set_pattern("{\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"level\":\"%l\",%v}",
                         spdlog::pattern_time_type::utc);
  }
}

void SetLevel(Level level) { AllLevels().SetAll(level); }

void SetLevel(absl::string_view room, Level level) { AllLevels().Set(room, level); }

void SetConnector(absl::string_view name) { t_connector = std::string(name); }

void Debug(absl::string_view message, Fields fields, const char* file) {
  Write(Level::kDebug, message, fields, file);
}
void Info(absl::string_view message, Fields fields, const char* file) {
  Write(Level::kInfo, message, fields, file);
}
void Warn(absl::string_view message, Fields fields, const char* file) {
  Write(Level::kWarn, message, fields, file);
}
void Error(absl::string_view message, Fields fields, const char* file) {
  Write(Level::kError, message, fields, file);
}

}  // namespace walduct::log
