// Where the properties of a connector come from, and how they are merged. Touches files only.
//
//   connector file: Kafka Connect's {"name","config":{…}}, a flat JSON map, Java properties, YAML
//                   (Strimzi's KafkaConnector and other manifests), Debezium Server's
//                   application.properties (by content, not by name)
//   worker file:    Connect's worker properties
//   overrides:      key=value from the command line; win over both. `producer.*`,
//                   `offset.storage.*`, … reach the worker keys
//
// ${provider:[path:]key} references (file, env, directory; config.providers declarations honoured)
// are resolved here and nowhere else.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/load_report.h"
#include "config/properties/property_set.h"

namespace walduct::config {

struct LoadRequest {
  std::string connector_path;
  // In place of that file.
  std::optional<std::vector<std::pair<std::string, std::string>>> connector_values = {};
  std::optional<std::string> worker_path;
  // Names that say something else in that file, and nothing of connectors.
  std::vector<std::string> workers_own = {};
  std::vector<std::pair<std::string, std::string>> overrides;
  bool reaches_kafka = true;  // false: for a look that publishes and stores nothing
  // Of files that give it only once, such as pipes, by their paths.
  std::map<std::string, std::string> texts = {};
  // Where people find the worker's file, in any folder; empty: nowhere.
  std::string worker_called = {};
};

// Older names replaced, references resolved, nothing checked yet. What went wrong is added to the
// report; nullopt: so much that nothing else is worth saying. table must outlive the set.
std::optional<PropertySet> ReadProperties(const LoadRequest& request, const PropertyTable& table,
                                          LoadReport* report);

}  // namespace walduct::config
