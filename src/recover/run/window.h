// Window: the times that a replay is of. A transaction is of it when it was committed at `since` or
// later and before `until`; the first one that was not ends it.
//
// Thread-safety: OnReplayed by one thread, the rest by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "base/lsn.h"

namespace walduct::recover {

struct Window {
  // Microseconds since 1970; by default all that is.
  int64_t since = 0;
  int64_t until = std::numeric_limits<int64_t>::max();
  // A start before has stored a position of it: whatever comes now is of it, too.
  bool begun = false;

  // What the restored server has replayed, and when the last commit of that was.
  void OnReplayed(Lsn replayed, int64_t time_us) {
    if (time_us < until || until == std::numeric_limits<int64_t>::max()) return;
    // The time may be that of a commit behind `replayed`, but not of one behind the next look.
    if (saw_end && !end.load().valid()) end = replayed;
    saw_end = true;
  }

  bool saw_end = false;
  std::atomic<Lsn> end = Lsn();  // all of the window is before it; 0/0: not known
  std::atomic<bool> ended = false;
};

}  // namespace walduct::recover
