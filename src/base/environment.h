// Environment: what the program asks of the machine it runs on: what time it is, and to sleep. The
// composition root hands down the real one, a simulation its own, and each room passes it on to
// what needs it: there is no default. Both are borrowed.
#pragma once

#include "base/clock.h"
#include "base/poller.h"

namespace walduct {

struct Environment {
  Environment(Clock* the_clock, Poller* the_poller) : clock(the_clock), poller(the_poller) {}
  static Environment Real() { return {&Clock::Real(), &Poller::Real()}; }

  Clock* clock;
  Poller* poller;
};

}  // namespace walduct
