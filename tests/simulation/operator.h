// Operator: who asks for tables in chunks, by rows of the signaling table, and stops and pauses
// that. What is asked for and not stopped has to come.
#pragma once

#include "tests/simulation/world.h"

namespace walduct::simulation {

class Operator {
 public:
  Operator(World* world, uint64_t seed) : world_(*world), random_(seed ^ 0x09e7) {}

  // Once a second, in one of a few.
  void Turn();
  // All faults are over: what is paused goes on, and one table is asked for once more.
  void Finish();

 private:
  bool Asks() const;
  void Execute();
  void Send(const std::string& type, const std::string& data = "{}");

  World& world_;
  Random random_;
  size_t sent_ = 0;
  size_t turns_ = 0;
  bool finished_ = false;
  bool paused_ = false;
  Lsn end_;  // of what was sent last
};

}  // namespace walduct::simulation
