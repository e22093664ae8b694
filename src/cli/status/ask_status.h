// /status of a running process, whichever worker of a group has the connector.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "http/client.h"

namespace walduct::cli {

// An answer of /status, with that connector in it where a worker of the group has it: of another
// one's the worker that is asked asks that one. connector: empty: none in particular.
absl::StatusOr<std::string> AskStatus(const http::Server& server, const std::string& connector);

}  // namespace walduct::cli
