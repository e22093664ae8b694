// The definition table and a load's outcome as text. Pure functions.
#pragma once

#include <string>

#include "config/loader.h"

namespace walduct::config {

// docs/configuration.md, whole. `walduct validate --print-reference` prints it; a test compares it
// with the file.
std::string ConfigurationMarkdown();

// For the terminal: one line per property given (name, value, status, note), then errors and
// warnings. Secrets masked.
std::string RenderValidateTable(const LoadResult& result);

}  // namespace walduct::config
