// Configurations named on the command line, loaded; what is wrong goes to standard error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "config/loader.h"

namespace walduct::cli {

// Prints "error: …"; the exit code of a refused configuration.
int Refuse(const std::string& error);

// -w and -o; absent when an override is malformed, which has been printed.
std::optional<config::LoadRequest> MakeRequest(const Arguments& arguments);

// One result per -f; false when one is refused, with all errors printed.
bool LoadAll(const Arguments& arguments, std::vector<config::LoadResult>* results);

// Two connectors on one slot or one name would steal each other's changes or offsets.
bool CheckDistinct(const std::vector<config::LoadResult>& results);

}  // namespace walduct::cli
