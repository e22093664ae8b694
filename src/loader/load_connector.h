// From files and overrides to ConnectorOptions: reads, merges and checks the properties, then lets
// each room build its own struct. Touches no server. Secrets never leave this room except inside
// the options structs.
#pragma once

#include "config/load_report.h"
#include "config/sources.h"
#include "engine/configuration/connector_options.h"
#include "http/listen_options.h"

namespace walduct::loader {

// options are of use only when there are no errors.
struct LoadResult : config::LoadReport {
  engine::ConnectorOptions options;
  http::ListenOptions listen;  // of the process
};

LoadResult LoadConnector(const config::LoadRequest& request);

}  // namespace walduct::loader
