// Fibers: several programs on one thread, each with a stack of its own. A fiber runs until it
// waits; when all wait, simulated time passes. So two instances of the real engine, which block
// where they wait, live in one world that is the same for the same seed.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "tests/support/simulated_time.h"

namespace walduct::simulation {

class Fibers {
 public:
  using Id = size_t;

  // time is borrowed.
  explicit Fibers(test::SimulatedTime* time);
  // All have ended.
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  // Runs body from the next RunUntil on.
  Id Start(std::function<void()> body);
  bool ended(Id id) const;

  // Runs the fibers, and what is scheduled, until done says so or the time is reached. False: a
  // fiber is busy without time passing.
  bool RunUntil(const std::function<bool()>& done, absl::Duration deadline);

  // On a fiber: until a descriptor is readable, the time is over or it is poked.
  void Wait(std::initializer_list<int> descriptors, absl::Duration timeout);
  // On a fiber: it stands still, whatever happens.
  void Stand(absl::Duration duration);
  void Poke(Id id);

 private:
  struct Fiber;
  Fiber* Runnable();
  void SwitchTo(Fiber* fiber);
  void SwitchBack();
  static void Enter(unsigned high, unsigned low);

  test::SimulatedTime& time_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  ucontext_t main_{};
  Fiber* current_ = nullptr;
  size_t turn_ = 0;
};

}  // namespace walduct::simulation
