// walduct recover: how it is typed, and what it does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace CLI {
class App;
}

namespace walduct::engine {
struct ConnectorOptions;
}
namespace walduct::recover {
struct RecoveryOptions;
}

namespace walduct::cli {

struct GateRequest {
  std::string state, file, path;
  double wait_seconds = 1;
  std::vector<std::string> command;
};

// Of recover run.
struct RecoverRequest {
  std::string from, state, sslmode;
};

// The command of both, to which AddRecoverRun adds another. gate_typed: what to do when `recover
// gate` was.
CLI::App* AddRecover(CLI::App* app, GateRequest* gate, std::function<void()> gate_typed);
void AddRecoverRun(CLI::App* run, RecoverRequest* asked);

// InvalidArgument: what is wrong with what was typed, or why the connector has no such gap.
absl::StatusOr<recover::RecoveryOptions> RecoveryOf(const RecoverRequest& asked,
                                                    const engine::ConnectorOptions& connector);

// Ends as PostgreSQL understands it: src/recover/archive_command.h.
int RecoverGate(const GateRequest& gate);

}  // namespace walduct::cli
