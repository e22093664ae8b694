// The outbox table of a world, recognised by room poll from its columns.
#pragma once

#include "poll/layouts/outbox_table.h"

namespace walduct::poll_simulation {

struct World;

poll::OutboxTable MakeTable(const World& world);

}  // namespace walduct::poll_simulation
