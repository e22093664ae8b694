// The row of the source that polls outbox tables (walduct.outbox.source=poll).
#pragma once

#include "engine/configuration/source_type.h"

namespace walduct::poll {

// With walduct.outbox.done=position it has a stored position, which the commands of offsets know.
extern const engine::SourceType kPollSource, kPollPositionSource;

}  // namespace walduct::poll
