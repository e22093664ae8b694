// From files and overrides to ConnectorOptions. Touches no server.
//
//   connector file: Kafka Connect's {"name","config":{…}}, a flat JSON map, or Java properties (by
//   content, not by name)
//   worker file:    Connect's worker properties
//   overrides:      key=value from the command line; win over both. `producer.*`,
//                   `offset.storage.*`, … reach the worker keys
//
// ${provider:[path:]key} references (file, env, directory; config.providers declarations honoured)
// are resolved here and nowhere else; secrets never leave this room except inside the options
// structs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "config/options/options.h"

namespace walduct::config {

struct LoadRequest {
  std::string connector_path;
  std::optional<std::string> worker_path;
  std::vector<std::pair<std::string, std::string>> overrides;
};

enum class PropertyStatus {
  kHonoured,
  kDefault,  // honoured, same as the default
  kIgnored,  // accepted without effect; note says why
  kNotYet,   // not supported; the value changes no data, so it is only warned about
  kUnknown,  // note holds the nearest known name, if any
  kRenamed,  // alias of an older release; note holds the name used
};

struct PropertyReport {
  std::string name;
  std::string value;  // masked when secret
  PropertyStatus status;
  std::string note;
};

struct LoadedConnector {
  ConnectorOptions options;
  std::vector<PropertyReport> properties;  // in file order
  std::vector<std::string> warnings;       // one line each, for the log
};

// All problems at once: `errors` non-empty means refused (exit 2); loaded.properties is filled
// either way.
struct LoadResult {
  LoadedConnector loaded;
  std::vector<std::string> errors;  // "property 'slot.name': value 'xx-aa' …; use …"
};
LoadResult LoadConnector(const LoadRequest& request);

}  // namespace walduct::config
