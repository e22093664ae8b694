// A table of properties and a load's outcome as text. Pure functions.
#pragma once

#include <string>

#include "config/load_report.h"
#include "config/properties/property_table.h"

namespace walduct::config {

// docs/configuration.md, whole. `walduct validate --print-reference` prints it; a test compares it
// with the file.
std::string ConfigurationMarkdown(const PropertyTable& table);

// For the terminal: one line per property given (name, value, status, note), then errors and
// warnings. Secrets masked.
std::string RenderReport(const LoadReport& report);

}  // namespace walduct::config
