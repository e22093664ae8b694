// Configurations in YAML:
//
//   KafkaConnector (Strimzi)      metadata.name, spec.class, spec.tasksMax, spec.config; a
//                                 KafkaConnect beside it gives what a worker's file would
//   DebeziumServer (debezium.io)  spec.source, spec.sink, spec.format, spec.transforms, …: as an
//                                 application.properties
//   ConfigMap, Secret             data with an application.properties, JSON or properties
//   name: …, config: {…}          as Connect's REST body
//   anything else                 one map; nested names are joined by dots (application.yaml)
//
// Other kinds of manifests are left out; of several connectors the PostgreSQL one counts. Pure.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/files/key_values.h"

namespace walduct::config {

// Does the text begin as YAML does, and not as properties or JSON?
bool LooksLikeYaml(absl::string_view text);

// read_text: a file inside a ConfigMap, by its content. InvalidArgument: malformed, no connector or
// several of them, a list or a map as the value of a property.
using ReadText = std::function<absl::StatusOr<ParsedFile>(absl::string_view text)>;
absl::StatusOr<ParsedFile> ParseYamlConfig(absl::string_view text, const ReadText& read_text);

}  // namespace walduct::config
