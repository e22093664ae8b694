#include "config/files/config_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/whole_file.h"
#include "config/files/connect_json.h"
#include "config/files/debezium_server.h"
#include "config/files/yaml_config.h"
#include "java/text/properties_text.h"

namespace walduct::config {
namespace {

constexpr size_t kMaxFileBytes = 4u << 20;
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";  // of editors on Windows

absl::Status Unreadable(const std::string& path, int system_error) {
  const absl::StatusCode code = system_error == ENOENT   ? absl::StatusCode::kNotFound
                                : system_error == EACCES ? absl::StatusCode::kPermissionDenied
                                                         : absl::StatusCode::kInvalidArgument;
  return Error(code, "unreadable_file",
               absl::StrCat("file '", path, "' cannot be read: ", std::strerror(system_error)),
               "check the path and its permissions");
}

bool LooksLikeJson(absl::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != absl::string_view::npos && (text[first] == '{' || text[first] == '[');
}

absl::StatusOr<ParsedFile> ReadProperties(absl::string_view text) {
  ASSIGN_OR_RETURN(java::Properties properties, java::ParseProperties(text));
  return ParsedFile{.values = std::move(properties.values),
                    .warnings = std::move(properties.warnings)};
}

absl::StatusOr<ParsedFile> ReadParsedText(absl::string_view text, bool yaml) {
  if (LooksLikeJson(text)) return ParseConnectJson(text);
  if (!yaml && !LooksLikeYaml(text)) return ReadProperties(text);
  return ParseYamlConfig(text,
                         [](absl::string_view inner) { return ReadParsedText(inner, false); });
}

KeyValues EnvironmentVariables() {
  KeyValues variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::pair<absl::string_view, absl::string_view> variable =
        absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    variables.emplace_back(variable.first, variable.second);
  }
  return variables;
}

absl::StatusOr<ParsedFile> ReadForm(absl::string_view text, bool yaml, const KeyValues& variables) {
  absl::ConsumePrefix(&text, kByteOrderMark);
  ASSIGN_OR_RETURN(ParsedFile file, ReadParsedText(text, yaml));
  if (!IsDebeziumServer(file.values)) return file;
  return FromDebeziumServer(file, variables);
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  std::optional<std::string> text = ReadWholeFile(path, {.most = kMaxFileBytes});
  if (text) return *std::move(text);
  if (errno != EFBIG) return Unreadable(path, errno);
  return Error(absl::StatusCode::kInvalidArgument, "unreadable_file",
               absl::StrCat("file '", path, "' is larger than 4 MiB"),
               "specify a configuration file");
}

absl::StatusOr<ParsedFile> ReadConfigText(absl::string_view text) {
  return ReadForm(text, /*yaml=*/false, {});
}

absl::StatusOr<ParsedFile> ReadConfigFile(const std::string& path,
                                          const std::optional<std::string>& read) {
  std::string bytes;
  if (!read) {
    ASSIGN_OR_RETURN(bytes, ReadTextFile(path));
  }
  absl::string_view text = read ? *read : bytes;
  absl::ConsumePrefix(&text, kByteOrderMark);
  if (text.find_first_not_of(" \t\r\n") == absl::string_view::npos) {
    return Error(absl::StatusCode::kInvalidArgument, "unreadable_file",
                 absl::StrCat("file '", path, "' is empty"),
                 "add the connector's properties to it");
  }
  const bool yaml = absl::EndsWith(path, ".yaml") || absl::EndsWith(path, ".yml");
  absl::StatusOr<ParsedFile> parsed = ReadForm(text, yaml, EnvironmentVariables());
  if (!parsed.ok()) return WithContext(parsed.status(), absl::StrCat("file '", path, "'"));
  for (std::string& warning : parsed->warnings)
    warning = absl::StrCat("file '", path, "': ", warning);
  return parsed;
}

}  // namespace walduct::config
