// A start that did not come about is told like any other end: of `walduct run`, once nobody runs.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "cli/arguments.h"
#include "engine/errors/error_policy.h"
#include "loader/load_connector.h"

namespace walduct::cli {

// What is wrong with the configurations has been printed. Exit code 2.
int RefuseRun(const Arguments& arguments, const std::vector<loader::LoadResult>& results);

// The listener cannot be opened, which is printed. Nothing is wrong with the configuration: another
// process has the port, as a rule.
engine::ExitCode EndUnheard(const Arguments& arguments,
                            const std::vector<loader::LoadResult>& results,
                            const absl::Status& error);

}  // namespace walduct::cli
