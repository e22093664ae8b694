// Which version of a plug-in a configuration or a request asks for. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "serve/plugins/definitions.h"

namespace walduct::serve {

// asked: "4.3.0", "latest", or a range as Maven writes it: "[3.0,4.0)". "": the plug-in's version
// is right; else Connect's sentence.
std::string VersionError(const Plugin& plugin, absl::string_view asked);

}  // namespace walduct::serve
