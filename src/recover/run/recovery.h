// What a recovery is asked for.
#pragma once

#include <memory>
#include <string>

namespace walduct::engine {
struct ConnectorOptions;
}

namespace walduct::recover {

struct RecoveryOptions {
  std::string name, slot;    // of the connector
  std::string host, port;    // of the restored server
  std::string sslmode;       // there; empty: the connector's
  std::string state_folder;  // which the gate has, too
  // As `run` has it, and as it holds its lost slot (slot::HoldConfig).
  std::shared_ptr<const engine::ConnectorOptions> connector, holding;
};

}  // namespace walduct::recover
