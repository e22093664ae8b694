// A start that did not come about is told like any other end: of `walduct run`, once nobody runs.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/process/last_end.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {

// What was to be run.
struct WantedRun {
  std::vector<NotedConnector> connectors = {};
  std::string listen = {};      // HOST:PORT, https:// before it or not; empty: it would not listen
  bool leaves_no_note = false;  // of another command than `run`
};

// What is wrong with the configurations has been printed; errors: "FILE: what". Exit code 2.
int RefuseRun(const WantedRun& wanted, const std::vector<std::string>& errors);

// The listener cannot be opened, which has been printed. Nothing is wrong with the configuration:
// another process has the port, as a rule. The exit code that is given.
engine::ExitCode EndUnheard(const WantedRun& wanted, const absl::Status& error, int exit_code);

}  // namespace walduct::cli
