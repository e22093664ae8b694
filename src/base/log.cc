#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/documents.h"
#include "base/json_text.h"
#include "base/log_tail.h"
#include "base/mutex.h"
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
    const MutexLock lock(mutex_);
    all_ = level;
    rooms_.clear();
  }

  void Set(absl::string_view room, Level level) {
    const MutexLock lock(mutex_);
    rooms_[std::string(room)] = level;
  }

  bool Shows(Level level, absl::string_view file) const {
    const MutexLock lock(mutex_);
    const auto found = rooms_.empty() ? rooms_.end() : rooms_.find(RoomOf(file));
    return level >= (found == rooms_.end() ? all_ : found->second);
  }

 private:
  mutable Mutex mutex_;
  Level all_ ABSL_GUARDED_BY(mutex_) = Level::kInfo;
  std::map<std::string, Level, std::less<>> rooms_ ABSL_GUARDED_BY(mutex_);
};

Levels& AllLevels() {
  static Levels levels;
  return levels;
}

// Quoted, and still one line: the quotes and backslashes first, then what is not plain.
std::string Quoted(absl::string_view value) {
  std::string quoted;
  AppendJsonString(value, &quoted);
  return PlainText(quoted);
}

// Names documents by where they are; other fields may hold words of others.
bool NamesDocuments(const Field& field) { return field.key == "hint"; }

bool IsEmptyHint(const Field& field) { return field.key == "hint" && field.value.empty(); }

std::string TextLine(absl::string_view before, absl::string_view message, Fields fields) {
  std::string line = PlainText(absl::StrCat(before, message));
  for (const Field& field : fields) {
    if (IsEmptyHint(field)) continue;
    absl::StrAppend(&line, " ", field.key, "=");
    const bool bare = !field.value.empty() &&
                      field.value.find_first_of(" \"=\n\t") == std::string::npos &&
                      IsPlainText(field.value);
    const std::string text = NamesDocuments(field) ? WithDocuments(field.value) : field.value;
    absl::StrAppend(&line, bare ? text : Quoted(text));
  }
  return line;
}

void AppendJson(absl::string_view text, std::string* out) {
  AppendJsonString(IsValidUtf8(text) ? text : ReplaceInvalidUtf8(text), out);
}

// The members after time and level.
std::string JsonMembers(absl::string_view message, Fields fields) {
  std::string line = "\"message\":";
  AppendJson(message, &line);
  if (!t_connector.empty()) {
    line += ",\"connector\":";
    AppendJson(t_connector, &line);
  }
  for (const Field& field : fields) {
    if (IsEmptyHint(field)) continue;
    line += ',';
    AppendJson(field.key, &line);
    line += ':';
    if (field.number) {
      line += field.value;
    } else {
      AppendJson(NamesDocuments(field) ? WithDocuments(field.value) : field.value, &line);
    }
  }
  return line;
}

struct Word {
  absl::string_view text, colour;
};
Word WordOf(Level level) {
  switch (level) {
    case Level::kDebug:
      return {"debug", "\033[36m"};
    case Level::kInfo:
      return {"info", "\033[32m"};
    case Level::kWarn:
      return {"warning", "\033[33m\033[1m"};
    case Level::kError:
      return {"error", "\033[31m\033[1m"};
  }
  return {};
}

// Whether it is a terminal that does.
bool ShowsColours() {
  static const bool shows = [] {
    const char* const terminal = std::getenv("TERM");
    if (isatty(STDERR_FILENO) == 0) return false;
    if (std::getenv("COLORTERM") != nullptr) return true;
    constexpr absl::string_view kKinds[] = {
        "ansi", "color", "console", "cygwin", "gnome", "konsole", "kterm",     "linux",
        "msys", "putty", "rxvt",    "screen", "vt100", "xterm",   "alacritty", "vt102"};
    return terminal != nullptr &&
           std::any_of(std::begin(kKinds), std::end(kKinds), [terminal](absl::string_view kind) {
             return absl::StrContains(terminal, kind);
           });
  }();
  return shows;
}

// In one piece: lines of several threads do not mix.
void Print(Level level, Format format, absl::string_view rest) {
  constexpr size_t kWidth = 7;
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", Clock::Real().Now(), absl::UTCTimeZone());
  const Word word = WordOf(level);
  const bool colours = format == Format::kText && ShowsColours();
  const std::string line =
      format == Format::kJson
          ? absl::StrCat("{\"time\":\"", time, "\",\"level\":\"", word.text, "\",", rest, "}\n")
          : absl::StrCat(time, " ", colours ? word.colour : "", word.text,
                         std::string(kWidth - word.text.size(), ' '), colours ? "\033[m" : "", " ",
                         rest, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Write(Level level, absl::string_view message, Fields fields, const char* file) {
  if (!AllLevels().Shows(level, file)) return;
  const std::string connector = t_connector.empty() ? "" : absl::StrCat("[", t_connector, "] ");
  const Format format = g_format;
  const std::string rest =
      format == Format::kJson ? JsonMembers(message, fields) : TextLine(connector, message, fields);
  if (Clock* const clock = g_keeps; clock != nullptr)
    KeptLines().Keep(t_connector, level, clock->Now(), TextLine("", message, fields));
  Print(level, format, rest);
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

absl::Duration Now() { return Clock::Real().Monotonic(); }

}  // namespace walduct::log
