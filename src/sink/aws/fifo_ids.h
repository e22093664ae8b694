// What queues and topics with an order (FIFO) want of a message: a group, and an id that a repeat
// has, too. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "event/record.h"

namespace walduct::sink {

inline bool IsFifo(absl::string_view name) { return absl::EndsWith(name, ".fifo"); }

// text itself where AWS takes it as an id, else a hash of it.
std::string GroupOf(absl::string_view text);

class DeduplicationIds {
 public:
  // identity: of the connector (IdentityOf).
  explicit DeduplicationIds(std::string identity);

  // 64 digits: of the change's position, the same after a restart. A record without such a position
  // gets one of its own.
  std::string Of(const event::Record& record) const;

 private:
  const std::string identity_, process_;
  mutable std::atomic<uint64_t> others_{0};
};

}  // namespace walduct::sink
