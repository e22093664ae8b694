// The row of the source that polls outbox tables (walduct.outbox.source=poll).
#pragma once

#include "engine/lifecycle/source_type.h"

namespace walduct::poll {

extern const engine::SourceType kPollSource;

}  // namespace walduct::poll
