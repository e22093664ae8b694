// The command that fetches a file from the archive, as restore_command would be.
#pragma once

#include <string>
#include <vector>

#include "recover/wal_name.h"

namespace walduct::recover {

// How a process ended, as PostgreSQL judges restore_command by it: 1 to 125: not there yet; 126 and
// more, or a signal: the server ends.
struct CommandEnd {
  int exit_code = 0;
  int signal = 0;  // else 0
};

constexpr int kNotThereYet = 1;
constexpr int kStopsTheServer = 126;

// One word is for sh, with %f, %p and %% as PostgreSQL has them; several are run as they are.
std::vector<std::string> CommandFor(const std::vector<std::string>& words, const AskedFor& asked);

// Waits until it ends. One that cannot be run ends as sh would have it: 126 or 127.
CommandEnd RunCommand(const std::vector<std::string>& command);

// Ends this process in the same way.
[[noreturn]] void EndAs(CommandEnd end);

}  // namespace walduct::recover
