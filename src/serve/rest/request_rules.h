// What Connect's container refuses before a page is asked, and how it reads paths and media types.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/message.h"

namespace walduct::serve {

// Parts between slashes, decoded, without what follows a semicolon.
std::vector<std::string> SplitPath(absl::string_view path);

// The answer to a path that no page may have; absent: it is one.
std::optional<http::Response> RefusedPath(const http::Request& request);

// The answer to a client that takes no JSON, or sends something else; reads_body: whether the page
// needs a body. Absent: go on.
std::optional<http::Response> RefusedMedia(const http::Request& request, bool reads_body);

// ?scope=cluster: for all workers.
bool IsForCluster(const http::Request& request);

// The answer to OPTIONS of a page that has these methods.
http::Response OptionsAnswer(const std::vector<std::string>& methods, const http::Request& request);

}  // namespace walduct::serve
