// BrokerSink: the engine's way to the simulated broker. Records of a partition arrive in order,
// each a while after it was written; acknowledgements come later, in another order than the records
// arrived over all partitions. It has little room, and may break.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sink/sink.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {

class BrokerSink final : public sink::Sink {
 public:
  explicit BrokerSink(World* world);
  // The process is gone: what was on its way arrives, or the last of it does not.
  ~BrokerSink() override;

  bool HasCapacity() override { return state_->in_flight < capacity_; }
  absl::Status Write(const event::Record& record, sink::Ticket ticket) override;
  absl::Status Poll(sink::AckHandler& acks) override;
  int ready_fd() const override { return state_->fd; }
  absl::Status Flush(sink::AckHandler& acks, absl::Duration timeout) override;

 private:
  struct Sent {
    size_t change = 0;
    bool tombstone = false;
    sink::Ticket ticket = 0;
  };
  // Shared with what is scheduled, which outlives the sink.
  struct State {
    bool closed = false;
    int fd = -1;
    size_t in_flight = 0;
    std::vector<std::deque<Sent>> on_the_way;  // by partition
    std::vector<Sent> acknowledged;            // for the next Poll
  };
  static void Arrive(World* world, State* state, size_t partition, Sent* out);

  World& world_;
  const size_t capacity_;
  const std::shared_ptr<State> state_;
  std::vector<absl::Duration> last_arrival_;  // scheduled, by partition
  bool broken_ = false;
};

}  // namespace walduct::simulation
