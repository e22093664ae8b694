// From files and overrides to ConnectorOptions: reads, merges and checks the properties, then lets
// each room build its own struct. Touches no server. Secrets never leave this room except inside
// the options structs.
#pragma once

#include <memory>

#include "config/load_report.h"
#include "config/sources.h"
#include "engine/configuration/connector_options.h"
#include "http/listen_options.h"

namespace walduct::metrics {
class TopicBoard;
}  // namespace walduct::metrics

namespace walduct::loader {

// options are of use only when there are no errors.
struct LoadResult : config::LoadReport {
  engine::ConnectorOptions options;
  http::ListenOptions listen;  // of the process
};

LoadResult LoadConnector(const config::LoadRequest& request);

// Has the connector count the records of its topics; false: its sink has none.
bool CountTopics(std::shared_ptr<metrics::TopicBoard> topics, LoadResult* result);

}  // namespace walduct::loader
