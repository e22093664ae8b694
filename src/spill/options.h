// Transactions that are sent while they are in progress, and where they are kept. Immutable once
// built.
#pragma once

#include <cstdint>
#include <string>

namespace walduct::spill {

// walduct.transaction.*
struct SpillOptions {
  bool enabled = false;              // walduct.transaction.streaming
  std::string directory;             // set whenever enabled
  uint64_t max_bytes = 10ull << 30;  // on disk, of all transactions together; 0: no limit
};

}  // namespace walduct::spill
