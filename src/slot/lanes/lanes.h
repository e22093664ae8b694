// Lanes: what a connector with walduct.slots=N is run as, each an ordinary connector with a slot, a
// publication, an offset and a thread of its own, and the tables of that publication.
#pragma once

#include <vector>

#include "engine/configuration/connector_options.h"

namespace walduct::slot {

// The first has the names that the connector has with one slot, so that it goes on from what is
// there; the others have a number behind them. What a connector does once, whatever its tables, is
// the first one's: heartbeats and their query, logical messages. With one slot: the same options.
std::vector<engine::ConnectorOptions> LanesOf(const engine::ConnectorOptions& whole);
// As it would be with that number of slots, or one beyond it, which a hand-over has to do with.
// first: the first lane.
engine::ConnectorOptions LaneAmong(const engine::ConnectorOptions& first, int number, int count);
// Of a lane: its connector's first.
engine::ConnectorOptions FirstLaneOf(const engine::ConnectorOptions& lane);

}  // namespace walduct::slot
