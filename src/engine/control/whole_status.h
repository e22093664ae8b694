// What the lanes of a connector come to, as the status of the connector: state and activity are
// those of the lane that is farthest from streaming; a failure of one is the connector's, though
// the others go on. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/control/status_board.h"

namespace walduct::engine {

// lanes: at least one, by number.
ConnectorStatus WholeStatus(std::vector<ConnectorStatus> lanes);

}  // namespace walduct::engine
