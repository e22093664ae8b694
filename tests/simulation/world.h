// World: everything around the engine in one simulation: time, the dice, the database, the broker,
// the disk with the offset, and the faults that happen to them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tests/simulation/database.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/random.h"
#include "tests/support/fake_offset_store.h"
#include "tests/support/simulated_time.h"

namespace walduct::simulation {

// Once in so many steps of each kind; 0: never. A step is a call into the world.
struct Faults {
  size_t crash = 400;
  size_t disconnect = 400;
  size_t broker_fails = 800;
  size_t save_fails = 6;
  size_t catalog_fails = 40;
  size_t refuses = 10;  // a connection that is to be opened

  static Faults None() { return {0, 0, 0, 0, 0, 0}; }
};

struct World {
  explicit World(uint64_t seed)
      : random(seed),
        database(&random, random.Between(5, 60), time.Monotonic()),
        ledger(database),
        partitions(random.Between(1, 4)) {}

  Random random;
  test::SimulatedTime time;
  Database database;
  Ledger ledger;
  test::FakeDisk disk;
  Faults faults;
  const size_t partitions;  // of each topic
  bool slot_exists = false;

  // The process that runs has been killed: nothing that it still does has any effect.
  bool crashed = false;
  std::deque<std::string> history;  // the last steps, for a seed that fails

  bool Happens(size_t one_in) { return one_in != 0 && random.OneIn(one_in); }
  // To be asked at every step; true once the process is dead.
  bool Crash(const char* where);
  void Note(std::string step);
};

inline absl::Status Dead() { return absl::UnavailableError("the process was killed"); }

}  // namespace walduct::simulation
