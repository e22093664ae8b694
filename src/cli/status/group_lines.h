// Lines about the workers of a group that shares its connectors, of an answer of /status. Pure.
#pragma once

#include <rapidjson/document.h>

#include <string>

#include "absl/time/time.h"

namespace walduct::cli {

// shares: the worker's member of that name.
std::string GroupLines(const std::string& group, const rapidjson::Value& shares, absl::Time now,
                       bool colour);

}  // namespace walduct::cli
