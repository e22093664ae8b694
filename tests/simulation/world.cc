#include "tests/simulation/world.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace walduct::simulation {

bool World::Crash(const char* where) {
  if (!crashed && Happens(faults.crash)) {
    crashed = true;
    Note(absl::StrCat("crash in ", where));
  }
  return crashed;
}

void World::Note(std::string step) {
  constexpr size_t kKept = 60;
  if (history.size() == kKept) history.pop_front();
  history.push_back(
      absl::StrCat(absl::FormatDuration(time.Monotonic() - absl::Hours(1)), "  ", step));
}

}  // namespace walduct::simulation
