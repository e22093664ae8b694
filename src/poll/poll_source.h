// The row of the source that polls outbox tables (walduct.outbox.source=poll).
#pragma once

#include <memory>

#include "engine/configuration/source_type.h"
#include "engine/lifecycle/attempt.h"

namespace walduct::poll {

class PollWorld;

// With walduct.outbox.done=position it has a stored position, which the commands of offsets know.
extern const engine::SourceType kPollSource, kPollPositionSource;

// Theirs, in another world than that of servers. Borrowed; outlives them.
std::unique_ptr<engine::Attempts> AttemptsIn(PollWorld* world, const engine::AttemptParts& parts);

}  // namespace walduct::poll
