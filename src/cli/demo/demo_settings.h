// What `walduct demo` is asked for, as the configuration of its connector.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/demo_request.h"
#include "operate/commands/demo.h"

namespace walduct::cli {

struct DemoSettings {
  operate::DemoUrl url;  // with the password, wherever it came from
  std::string name;      // of the schema, and of all else
  bool kafka = false;
  std::vector<std::string> topics;
  std::vector<std::pair<std::string, std::string>> properties;  // with its secrets
};

// Of --url and --password-file. InvalidArgument: one of them is none.
absl::StatusOr<operate::DemoUrl> ReadUrl(const std::string& url, const std::string& password_file);
// Where events go: to Kafka, by these servers where any are given, or to that file.
void AddDestination(bool kafka, const std::string& bootstrap_servers, const std::string& file,
                    std::vector<std::pair<std::string, std::string>>* properties);
// Of --schema.
absl::Status CheckSchemaName(const std::string& schema);

// directory: for what the demo writes. InvalidArgument: an address, a name or a file is none.
absl::StatusOr<DemoSettings> DemoSettingsOf(const DemoRequest& asked, const std::string& directory);

// The properties as a file would have them, secrets left out.
std::string DemoConfigurationText(const DemoSettings& settings);

}  // namespace walduct::cli
