// From files and overrides to ConnectorOptions: reads, merges and checks the properties, then lets
// each room build its own struct. Touches no server. Secrets never leave this room except inside
// the options structs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "access/access_options.h"
#include "config/load_report.h"
#include "config/sources.h"
#include "console/console_options.h"
#include "engine/configuration/connector_options.h"

namespace walduct::metrics {
class TopicBoard;
}  // namespace walduct::metrics

namespace walduct::loader {

// options are of use only when there are no errors.
struct LoadResult : config::LoadReport {
  engine::ConnectorOptions options;
  // Of the process.
  std::optional<access::ListenerOptions> listen;  // nullopt: nothing listens
  access::AccessOptions access;
  console::ConsoleOptions console;
};

// login_file: as the environment names it; the property walduct.rest.login.config wins.
LoadResult LoadConnector(const config::LoadRequest& request, const std::string& login_file = "");

// Has the connector count the records of its topics; false: its sink has none.
bool CountTopics(const std::shared_ptr<metrics::TopicBoard>& topics, LoadResult* result);

}  // namespace walduct::loader
