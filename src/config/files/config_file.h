// Reads a configuration file from disk; the form is chosen by content: '{' or '[' first means JSON,
// a nested map or a manifest (or a name that ends with .yaml or .yml) YAML, anything else Java
// properties. Names that begin as Debezium Server's make it an application.properties.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/files/key_values.h"

namespace walduct::config {

// At most 4 MiB. NotFound, PermissionDenied, InvalidArgument (a directory, too large) with the path
// and the system's reason.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

// A text that somebody gives, of any of these forms. Nothing of the environment comes into it.
absl::StatusOr<ParsedFile> ReadConfigText(absl::string_view text);

// Every error names the path. text: what it has, where it was read before.
absl::StatusOr<ParsedFile> ReadConfigFile(const std::string& path,
                                          const std::optional<std::string>& text = std::nullopt);

}  // namespace walduct::config
