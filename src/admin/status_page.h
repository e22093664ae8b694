// /status: all that `walduct status` shows, as JSON. Members are added, never renamed.
#pragma once

#include <string>

#include "admin/scene.h"

namespace walduct::admin {

std::string StatusJson(const Scene& scene);

}  // namespace walduct::admin
