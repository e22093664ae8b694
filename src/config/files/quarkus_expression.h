// Quarkus's expressions in values: ${name} and ${name:default}, as Debezium Server expands them.
//
//   ${NAME}            an environment variable, or another property of the file
//   ${NAME:default}    the same; the default may hold expressions
//   $${x}              the text ${x}
//
// A variable counts under the name as written, and with all but letters and digits as '_', in upper
// case. References to walduct's providers (${env:NAME}, ${file:…}) stay as they are. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::config {

// The value of a property of that name; nullopt: there is none.
using PropertyLookup = std::function<std::optional<std::string>(absl::string_view name)>;

// `database.hostname` as the name of an environment variable: DATABASE_HOSTNAME.
std::string VariableName(absl::string_view property);

struct ExpandedText {
  std::string value;
  std::string shown;  // without the defaults, which may be secrets
};

// InvalidArgument: a name without value and default; expressions that need each other.
absl::StatusOr<ExpandedText> ExpandExpressions(absl::string_view text,
                                               const PropertyLookup& lookup);

}  // namespace walduct::config
