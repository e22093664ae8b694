// Profiles of the files that AWS's tools share. Pure.
#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::aws {

using Profile = std::map<std::string, std::string, std::less<>>;

// What the text has of a profile; of the configuration's file, where sections are [profile NAME],
// too. Empty: nothing.
Profile ProfileIn(absl::string_view text, absl::string_view name);

}  // namespace walduct::aws
