// walduct recover: how it is typed, and what it does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace CLI {
class App;
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

// Of recover run and replay.
struct RecoverRequest {
  std::string from, state, sslmode;
  std::string then;     // "read"
  std::string catalog;  // "later"
};

struct DrillRequest {
  std::string programs;  // PostgreSQL's, a folder
  std::string folder;    // empty: one of its own, removed
  bool print = false;
};

// The command that the others are added to. gate_typed: what to do when `recover gate` was.
CLI::App* AddRecover(CLI::App* app, GateRequest* gate, std::function<void()> gate_typed);
// Which server is streamed from, and its folder; what is done where it cannot be.
void AddRestored(CLI::App* run, RecoverRequest* asked);
void AddCatalog(CLI::App* run, RecoverRequest* asked);
void AddThenRead(CLI::App* run, RecoverRequest* asked);
void AddDrill(CLI::App* recover, DrillRequest* asked, std::function<void()> typed);

// Without the connector. InvalidArgument: what is wrong with what was typed.
absl::StatusOr<recover::RecoveryOptions> RecoveryOf(const RecoverRequest& asked);

// Loses a slot on servers of its own, and gets the gap back.
int RecoverDrill(const DrillRequest& drill);

// Ends as PostgreSQL understands it: src/recover/archive_command.h.
int RecoverGate(const GateRequest& gate);

}  // namespace walduct::cli
