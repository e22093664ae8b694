// What a worker has of the world: its sessions with the server, and the store of its position.
#pragma once

#include <memory>

#include "offset/offset_store.h"
#include "poll/session/poll_world.h"
#include "tests/simulation/poll/statements.h"

namespace walduct::poll_simulation {

struct World;
class Worker;

std::unique_ptr<poll::TableSession> MakeSession(World* world, Worker* worker, SessionPtr session);
// Refuses to store behind somebody else, as a file's and a topic's do.
std::unique_ptr<offset::OffsetStore> MakeStore(World* world, Worker* worker);

}  // namespace walduct::poll_simulation
