// Log lines: one per state change, never per event. Text for people or one JSON object per line for
// machines; level, time (UTC), connector, message, then key=value fields. Each room (the folder of
// src/ whose code writes the line) may have a level of its own. Thread-safe; call Configure once
// before the first thread starts.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::log {

enum class Level { kDebug, kInfo, kWarn, kError };
enum class Format { kText, kJson };

struct Field {
  Field(absl::string_view k, absl::string_view v) : key(k), value(v) {}
  Field(absl::string_view k, const char* v) : key(k), value(v) {}
  Field(absl::string_view k, const std::string& v) : key(k), value(v) {}
  template <typename Integer>
  requires std::is_integral_v<Integer> Field(absl::string_view k, Integer v)
      : key(k), value(std::to_string(v)), number(true) {}

  std::string key;
  std::string value;
  bool number = false;
};
using Fields = std::initializer_list<Field>;

// Lines go to standard error.
void Configure(Level level, Format format);
// At any time: of all rooms.
void SetLevel(Level level);
// At any time: of one, such as "engine".
void SetLevel(absl::string_view room, Level level);
// Names the connector in every later line of the calling thread.
void SetConnector(absl::string_view name);

// file: whose line it is.
void Debug(absl::string_view message, Fields fields = {}, const char* file = __builtin_FILE());
void Info(absl::string_view message, Fields fields = {}, const char* file = __builtin_FILE());
void Warn(absl::string_view message, Fields fields = {}, const char* file = __builtin_FILE());
void Error(absl::string_view message, Fields fields = {}, const char* file = __builtin_FILE());

}  // namespace walduct::log
