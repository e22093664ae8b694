// A process that runs connectors, asked and told over its listener. Blocks.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/arguments.h"

namespace walduct::cli {

// Of --url or --listen; a process that listens everywhere is asked here.
std::string UrlOf(const Arguments& arguments);

// The body of a 200. Unavailable: nobody answers there, or another code, with what was said.
absl::StatusOr<std::string> Ask(const std::string& url, const std::string& path);

}  // namespace walduct::cli
