// LiveTail: the last records that were handed to the sink, for who looks on. Without viewers it
// costs the data thread a look at a number for each record, and keeps nothing.
//
// Each look of a viewer asks for the next kGrant records; what comes beyond that before the next
// look is not kept. The data thread never waits: while somebody reads, a record is left out.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "base/mutex.h"

namespace walduct::metrics {

class LiveTail {
 public:
  static constexpr uint32_t kGrant = 100;    // records for a look, and as many are kept
  static constexpr size_t kMostText = 2048;  // bytes that are kept of a key or a value

  struct Entry {
    uint64_t number = 0;  // of all records since the start, from 1 on
    absl::Time at = {};
    std::string topic = {};
    absl::string_view operation = {};      // "create", …; empty: of no row (a literal)
    std::string table = {};                // "schema.table"; empty: of none
    Lsn lsn = {};                          // of the change; not valid: of none
    std::optional<size_t> key_bytes = {};  // absent: null
    std::optional<size_t> value_bytes = {};
    // Their beginnings, where texts are asked for and they are UTF-8.
    std::optional<std::string> key = {}, value = {};
  };

  // --- the data thread's ---
  bool wanted() const { return granted_.load(std::memory_order_relaxed) > 0; }
  bool wants_texts() const { return texts_.load(std::memory_order_relaxed); }
  void Show(Entry entry);

  // --- any thread's ---
  // Those behind that number, the oldest first; and asks for more. texts: with keys and values.
  std::vector<Entry> Look(uint64_t after, bool texts) const;

 private:
  // A look changes what is kept, and nothing of the connector.
  mutable std::atomic<uint32_t> granted_{0};
  mutable std::atomic<bool> texts_{false};
  mutable Mutex mutex_;
  mutable std::deque<Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

// The beginning of a text as it is kept; absent: it is not UTF-8.
std::optional<std::string> BeginningOf(absl::string_view text);

}  // namespace walduct::metrics
