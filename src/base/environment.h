// Environment: what the program asks of the machine it runs on: what time it is, and to sleep. The
// composition root hands it down, and each room passes it on to whoever needs it; a simulation
// hands down its own. Left alone it is the real one. Both are borrowed.
#pragma once

#include "base/clock.h"
#include "base/poller.h"

namespace walduct {

struct Environment {
  Clock* clock = &Clock::Real();
  Poller* poller = &Poller::Real();
};

}  // namespace walduct
