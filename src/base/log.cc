#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "base/plain_text.h"
#include "base/utf8.h"

namespace walduct::log {
namespace {

std::atomic<Format> g_format{Format::kText};
thread_local std::string t_connector;

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto created = spdlog::stderr_color_mt("walduct");
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

std::string TextLine(absl::string_view message, Fields fields) {
  std::string line = PlainText(t_connector.empty() ? std::string(message)
                                                   : absl::StrCat("[", t_connector, "] ", message));
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

void Write(spdlog::level::level_enum level, absl::string_view message, Fields fields) {
  spdlog::logger& logger = Logger();
  if (!logger.should_log(level)) return;
  const std::string line =
      g_format == Format::kJson ? JsonMembers(message, fields) : TextLine(message, fields);
  logger.log(level, spdlog::string_view_t(line.data(), line.size()));
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

}  // namespace

void Configure(Level level, Format format) {
  g_format = format;
  SetLevel(level);
  if (format == Format::kJson) {
    Logger().set_pattern("{\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"level\":\"%l\",%v}",
                         spdlog::pattern_time_type::utc);
  }
}

void SetLevel(Level level) { Logger().set_level(ToSpdlog(level)); }

void SetConnector(absl::string_view name) { t_connector = std::string(name); }

void Debug(absl::string_view message, Fields fields) {
  Write(spdlog::level::debug, message, fields);
}
void Info(absl::string_view message, Fields fields) { Write(spdlog::level::info, message, fields); }
void Warn(absl::string_view message, Fields fields) { Write(spdlog::level::warn, message, fields); }
void Error(absl::string_view message, Fields fields) { Write(spdlog::level::err, message, fields); }

}  // namespace walduct::log
