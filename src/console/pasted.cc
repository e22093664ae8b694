#include "console/pasted.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "config/files/config_file.h"

namespace walduct::console {
namespace {

void Append(absl::string_view text, std::string* out) {
  AppendJsonString(IsValidUtf8(text) ? std::string(text) : ReplaceInvalidUtf8(text), out);
}

absl::Status Refused(absl::string_view message, absl::string_view hint) {
  return absl::InvalidArgumentError(
      absl::StrCat("This cannot be read: ", message, hint.empty() ? "" : "; ", hint, "."));
}

}  // namespace

absl::StatusOr<std::string> ReadPasted(absl::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == absl::string_view::npos)
    return Refused("it is empty", "paste a connector's configuration");
  const absl::StatusOr<config::ParsedFile> file = config::ReadConfigText(text);
  if (!file.ok()) return Refused(file.status().message(), ErrorHint(file.status()));
  if (!file->problems.empty()) return Refused(file->problems.front(), "");
  if (file->values.empty()) return Refused("it has no property", "write name=value, or JSON");
  std::string json = "{\"properties\":[";
  for (const auto& [name, value] : file->values) {
    json += json.back() == '[' ? "[" : ",[";
    Append(name, &json);
    json += ',';
    Append(value, &json);
    json += ']';
  }
  json += "],\"warnings\":[";
  for (const std::string& warning : file->warnings) {
    if (json.back() != '[') json += ',';
    Append(warning, &json);
  }
  return json + "]}";
}

}  // namespace walduct::console
