// What a recovery is asked for, and the connector as it reads the restored server.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "engine/configuration/connector_options.h"

namespace walduct::recover {

struct RecoveryOptions {
  engine::ConnectorOptions connector;  // as `run` has it
  std::string host, port;              // of the restored server
  std::string sslmode;                 // there; empty: the connector's
  std::string state_folder;
};

// The same connector, with the restored server in place of the primary: nothing is written there,
// no snapshot is taken, signals are refused.
engine::ConnectorOptions OnRestored(const RecoveryOptions& recovery);

// OK; or why this connector has no gap that could be read: InvalidArgument.
absl::Status CheckRecoverable(const engine::ConnectorOptions& connector);

}  // namespace walduct::recover
