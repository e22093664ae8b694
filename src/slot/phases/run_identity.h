// RunId: a time-ordered UUID (version 7) for one start of a connector, the header
// __debezium.context.runId.
#pragma once

#include <string>

#include "slot/world/world.h"

namespace walduct::slot {

std::string RunId(World& world);
// Any other id: a random UUID.
std::string RandomUuid(World& world);

}  // namespace walduct::slot
