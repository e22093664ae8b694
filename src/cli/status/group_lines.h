// Lines about the workers of a group that shares its connectors, of an answer of /status. Pure.
#pragma once

#include <rapidjson/document.h>

#include <string>

#include "absl/time/time.h"

namespace walduct::cli {

// Who has a connector that is not this worker's; kUnknown: the group has none of that name.
enum class Place { kUnknown, kElsewhere, kNobodys };
Place PlaceIn(const rapidjson::Document& status, const std::string& connector);

// Whether nobody runs some connector of the group.
bool HasUnassigned(const rapidjson::Document& status);

// The line of a connector that nobody runs; empty: somebody does.
std::string UnassignedLine(const rapidjson::Document& status, const std::string& connector,
                           absl::Time now, bool colour);

// shares: the worker's member of that name.
std::string GroupLines(const std::string& group, const rapidjson::Value& shares, absl::Time now,
                       bool colour);

}  // namespace walduct::cli
