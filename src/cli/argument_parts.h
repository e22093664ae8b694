// Flags that several commands take.
#pragma once

#include <functional>
#include <string>

#include "cli/arguments.h"

namespace walduct::cli {

// -f, -w and -o.
void AddConfiguration(CLI::App* command, Arguments* arguments, bool required);

// Where a running process answers; what is typed wins over the environment. Gives what is to be
// done once the command is parsed, and has it done.
std::function<void()> AddProcess(CLI::App* command, Arguments* arguments);

// Both of them, and what is no flag: the connector of a running process, unless -f names one; then
// a value (null: there is none), which says what it is.
void AddOfConnector(CLI::App* command, Arguments* arguments, std::string* value, bool required,
                    const char* what);

}  // namespace walduct::cli
