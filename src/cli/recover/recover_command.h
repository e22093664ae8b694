// walduct recover: how it is typed, and what it does.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace walduct::cli {

struct GateRequest {
  std::string state, file, path;
  double wait_seconds = 1;
  std::vector<std::string> command;
};

// gate_typed: what to do when `recover gate` was.
void AddRecover(CLI::App* app, GateRequest* gate, std::function<void()> gate_typed);

// Ends as PostgreSQL understands it: src/recover/archive_command.h.
int RecoverGate(const GateRequest& gate);

}  // namespace walduct::cli
