#include "tests/simulation/poll/world.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace walduct::poll_simulation {

const char* FaultName(size_t fault) {
  static constexpr std::array<const char*, kFaults> kNames = {
      "killed",           "paused",          "disconnected",    "the server restarts",
      "target fails",     "a save fails",    "refused",         "slow",
      "a NOTIFY is lost", "a row is locked", "the clock is set"};
  return kNames[fault];
}

const char* DefectName(Defect defect) {
  static constexpr std::array<const char*, static_cast<size_t>(Defect::kCount)> kNames = {
      "none",
      "mark before acknowledgement",
      "skip a locked predecessor of the same key",
      "forget a parked predecessor",
      "a position that covers a running transaction",
      "a position behind xmin",
      "a position that covers what is not flushed",
      "two workers own the table",
      "a claim that has what is in flight",
      "a claim that reads on behind what is in flight",
      "the marks of a batch are lost while the next one is out",
      "a low-water mark that forgets who may commit behind it",
      "marks of all between the first and the last row of a batch"};
  return kNames[static_cast<size_t>(defect)];
}

Policy::Policy(Random* random) {
  done = static_cast<Done>(random->Below(3) == 0 ? 4 : random->Below(4));
  const bool position = done == Done::kPosition;
  workers = position ? 1 : random->Between(1, 2);
  instances = random->Between(1, 2);
  pooler = random->OneIn(5);
  notify = !pooler && random->OneIn(2);
  attempts = !position && random->OneIn(2);
  due = attempts && random->OneIn(2);
  parked_holds = !random->OneIn(4);
  mends = random->OneIn(2);
  free_writers = random->OneIn(8);
  async = random->OneIn(3);
  batch = static_cast<int64_t>(random->Between(1, 8));
  max_attempts = static_cast<int64_t>(random->Between(1, 4));
  keys = random->Between(1, 5);
  partitions = random->Between(1, 3);
  calm = absl::Seconds(static_cast<int64_t>(random->Between(3, 20)));
}

World::World(uint64_t seed, Defect planted)
    : defect(planted), random(seed), policy(&random), fibers(&time) {
  //        crash pause disconnect restart target save refuses slow notify locked clock
  faults = {400, 500, 300, 60, 300, 10, 10, 30, 4, 12, 100};
  // Some seeds are about few kinds of fault.
  if (random.OneIn(3)) {
    for (size_t& fault : faults)
      if (!random.OneIn(3)) fault = 0;
  }
}

bool World::Happens(Fault fault) {
  const auto kind = static_cast<size_t>(fault);
  if (faults[kind] == 0 || !random.OneIn(faults[kind])) return false;
  const size_t number = happened++;
  if (left_out.contains(number)) return false;
  ++counts[kind];
  Note("fault ", number, ": ", FaultName(kind));
  return true;
}

void World::Keep(std::string step) {
  if (history.size() == steps_kept) history.pop_front();
  history.push_back(
      absl::StrCat(absl::FormatDuration(time.Monotonic() - absl::Hours(1)), "  ", step));
}

}  // namespace walduct::poll_simulation
