// A process that runs connectors, asked and told over its listener. Blocks.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "http/client.h"

namespace walduct::cli {

// Of --url or --listen, with what --ca, --cert and --key name; a process that listens everywhere is
// asked here.
http::Server ServerOf(const Arguments& arguments);

// The body of a 200. Unavailable: nobody answers there, or another code, with what was said.
absl::StatusOr<std::string> Ask(const http::Server& server, const std::string& path);

}  // namespace walduct::cli
