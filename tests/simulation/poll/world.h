// World: everything around the workers that poll, in one simulation: time, the dice, the database
// with its application, the target, the store of positions, the faults that happen to them, and
// what the seed has chosen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/simulation/fibers.h"
#include "tests/simulation/poll/ledger.h"
#include "tests/simulation/poll/server.h"
#include "tests/simulation/random.h"
#include "tests/support/simulated_time.h"

namespace walduct::poll_simulation {

using simulation::Fibers;
using simulation::Random;

enum class Fault : uint8_t {
  kCrash,       // kill -9 of a worker
  kPause,       // SIGSTOP, then SIGCONT
  kDisconnect,  // the server ends a session
  kRestart,     // of the server: what was not flushed is gone
  kTargetFails,
  kSaveFails,  // with or without having become durable
  kRefuses,    // a connection that is to be opened
  kSlow,       // a statement
  kNotifyLost,
  kRowLocked,  // by the application, for a while
  kClock,      // of the server is set
  kCount,
};
inline constexpr size_t kFaults = static_cast<size_t>(Fault::kCount);
const char* FaultName(size_t fault);

// A mistake that the source could make, planted around it.
enum class Defect : uint8_t {
  kNone,
  kMarkEarly,
  kSkipLocked,
  kForgetParked,
  kCoverRunning,
  kBehindXmin,
  kCoverUnflushed,
  kTwoOwners,
  kClaimTwice,
  kReadOnBehind,
  kLoseMark,
  kForgetWriters,
  kMarkBetween,
  kCount,
};
const char* DefectName(Defect defect);

enum class Done : uint8_t { kMark, kStatus, kDelete, kArchive, kPosition };

// What the seed has chosen.
struct Policy {
  explicit Policy(Random* random);

  Done done = Done::kMark;
  size_t workers = 1;    // walduct.outbox.workers
  size_t instances = 1;  // of each
  bool pooler = false;
  bool notify = false;
  bool attempts = false;      // the table counts them, and some rows cannot be published
  bool due = false;           // it has next_try_at
  bool parked_holds = true;   // walduct.outbox.parked
  bool mends = true;          // what cannot be published is mended in the end
  bool free_writers = false;  // of one key, that do not wait for one another
  bool async = false;         // synchronous_commit=off
  int64_t batch = 1;
  int64_t max_attempts = 1;
  size_t keys = 1, partitions = 1;
  absl::Duration calm;  // so long until all faults are over
};

struct World {
  explicit World(uint64_t seed, Defect defect);

  const Defect defect;
  Random random;
  Policy policy;
  test::SimulatedTime time;
  Fibers fibers;
  Server server{this};
  Ledger ledger{this};
  std::optional<std::string> stored;  // the position

  // Once in so many steps of each kind; 0: never. A step is a call into the world.
  std::array<size_t, kFaults> faults{};
  std::set<size_t> left_out;  // faults that do not happen, counted from the first
  size_t happened = 0;
  std::array<size_t, kFaults> counts{};
  bool Happens(Fault fault);
  void Calm() { faults.fill(0); }

  size_t steps_kept = 0;
  std::deque<std::string> history;  // the last steps, for a seed that fails
  // The text is made only for who reads it.
  template <typename... Parts>
  void Note(const Parts&... parts) {
    if (steps_kept > 0) Keep(absl::StrCat(parts...));
  }

 private:
  void Keep(std::string step);
};

// kafka::SendPermit's.
inline constexpr absl::Duration kLease = absl::Milliseconds(300);
// What left within the lease has arrived before another worker owns the table: longer than lease
// and wire together.
inline constexpr absl::Duration kTakeover = absl::Milliseconds(500);

}  // namespace walduct::poll_simulation
