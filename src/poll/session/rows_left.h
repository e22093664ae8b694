// LeavesRows: whether rows of an outbox table wait still, as far as the last look at it tells.
// Pure.
#pragma once

#include <cstddef>

namespace walduct::poll {

// What became of the rows that a look has found.
struct LookedAt {
  size_t found = 0, published = 0;
  bool whole = false;         // there were no more
  bool acknowledged = false;  // what was published is, and is marked
};

// Rows that are locked, or wait for another one of their key, are found and not published.
inline bool LeavesRows(const LookedAt& look) {
  return !look.whole || look.published < look.found || (look.found > 0 && !look.acknowledged);
}

}  // namespace walduct::poll
