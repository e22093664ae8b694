// The value of sasl.jaas.config: `<login module class> <flag> <option>=<value> … ;`, values bare,
// in "…" or '…' with backslash escapes.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::security {

struct JaasEntry {
  std::string module;  // last part of the class name: "PlainLoginModule"
  std::map<std::string, std::string> options;
};

// InvalidArgument kafka_jaas_malformed; never quotes the text, which holds the password.
absl::StatusOr<JaasEntry> ParseJaas(absl::string_view text);

}  // namespace walduct::security
