// Unacknowledged: records that were taken and are all to be acknowledged together, in the order
// they came. Data thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "sink/sink.h"

namespace walduct::sink {

class Unacknowledged {
 public:
  bool empty() const { return groups_.empty(); }

  void Add(Ticket ticket) {
    if (groups_.empty() || groups_.back().ticket != ticket) groups_.push_back({ticket, 0});
    ++groups_.back().count;
  }

  void AcknowledgeAll(AckHandler& acks) {
    for (const Group& group : groups_) acks.OnAcknowledged(group.ticket, group.count);
    groups_.clear();
  }

 private:
  struct Group {
    Ticket ticket;
    uint32_t count;
  };
  std::vector<Group> groups_;
};

}  // namespace walduct::sink
