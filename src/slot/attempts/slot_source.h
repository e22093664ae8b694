// The row of the source that streams a replication slot.
#pragma once

#include "engine/lifecycle/source_type.h"

namespace walduct::slot {

// There where no other source is asked for. Its attempts take their host for a slot::World.
extern const engine::SourceType kSlotSource;

bool StreamsSlot(const engine::ConnectorOptions& config);

}  // namespace walduct::slot
