// A request to a listener, for commands that end at once. Blocks.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "http/message.h"

namespace walduct::http {

// base: "http://host:port". Unavailable status_unreachable: nobody answers there; InvalidArgument:
// no such URL;
// FailedPrecondition libcurl_missing.
absl::StatusOr<Response> Get(const std::string& base, const std::string& path,
                             absl::Duration timeout);

}  // namespace walduct::http
