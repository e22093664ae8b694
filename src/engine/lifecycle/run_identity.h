// RunId: a time-ordered UUID (version 7) for one start of a connector, the header
// __debezium.context.runId.
#pragma once

#include <string>

#include "base/clock.h"

namespace walduct::engine {

std::string RunId(Clock& clock);

}  // namespace walduct::engine
