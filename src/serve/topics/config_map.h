// ConfigMap: a connector's configuration as a client sent it, in its order. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::serve {

// Values are text; absent: null.
using ConfigMap = std::vector<std::pair<std::string, std::optional<std::string>>>;

// Null when the key is absent or null.
const std::string* FindValue(const ConfigMap& config, absl::string_view key);
// Whether it is there, null or not.
bool HasKey(const ConfigMap& config, absl::string_view key);
// In the place of the one that is there, else at the end.
void PutValue(ConfigMap* config, absl::string_view key, std::optional<std::string> value);
void EraseKey(ConfigMap* config, absl::string_view key);
// Whatever their order.
bool SameConfig(const ConfigMap& one, const ConfigMap& other);

std::string ConfigJson(const ConfigMap& config);

// Of a JSON object; numbers and booleans are their text as written. InvalidArgument: no JSON, no
// object, or a value that is neither text, number, boolean nor null.
absl::StatusOr<ConfigMap> ParseConfig(absl::string_view json);

// The body of POST /connectors.
struct CreateRequest {
  std::optional<std::string> name;
  std::optional<ConfigMap> config;
  std::optional<std::string> initial_state;
};
absl::StatusOr<CreateRequest> ParseCreateRequest(absl::string_view json);

}  // namespace walduct::serve
