// What a recovery is asked for.
#pragma once

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace walduct::engine {
struct ConnectorOptions;
}

namespace walduct::recover {

struct RecoveryOptions {
  std::string name, slot;    // of the connector
  std::string host, port;    // of the restored server
  std::string sslmode;       // there; empty: the connector's
  std::string state_folder;  // which the gate has, too
  absl::Duration patience;   // until what it waits for is said
  bool cut_at_ddl = true;    // HowFar::cut_at_ddl
  bool then_read = false;    // what cannot be decoded is to be read from the tables
  // As `run` has it, and as it holds its lost slot (slot::HoldConfig).
  std::shared_ptr<const engine::ConnectorOptions> connector, holding;
};

}  // namespace walduct::recover
