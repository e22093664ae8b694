// /status: all that `walduct status` shows, as JSON. Members are added, never renamed.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "admin/scene.h"

namespace walduct::admin {

// only: of this connector alone, with what was published of each of its tables; empty: of all.
std::string StatusJson(const Scene& scene, absl::string_view only = "");

}  // namespace walduct::admin
