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

// The same of what takes its time, such as a doctor's answer. NotFound: it has no such connector.
absl::StatusOr<std::string> AskSlowly(const http::Server& server, const std::string& path);

// "message" of an error of Connect's interface.
std::string MessageIn(const std::string& body, int status);

// That it has none of that name, and which it has.
absl::Status UnknownConnector(const http::Server& server, const std::string& name);

// Has a connector that failed at that change leave it out, and begin again; what was said.
absl::StatusOr<std::string> AskToSkip(const http::Server& server, const std::string& name,
                                      const std::string& change);

}  // namespace walduct::cli
