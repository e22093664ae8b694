// BrokerSink: the engine's way to the simulated broker. What is written stays in the client's queue
// for a while, and leaves it only while the process runs and has its permit (kafka::SendPermit);
// then it is on the wire and arrives. Records of a partition arrive in order; acknowledgements come
// later, in another order than the records arrived over all partitions. It has little room, and
// may break.
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
  BrokerSink(World* world, Process* process);
  // What is on the wire arrives, or the last of it does not; what is in the queue is gone.
  ~BrokerSink() override;

  bool HasCapacity() override;
  absl::Status Write(const event::Record& record, sink::Ticket ticket) override;
  absl::Status Poll(sink::AckHandler& acks) override;
  int ready_fd() const override { return state_->fd; }
  absl::Status Flush(sink::AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override { state_->permit_until = Now() + kLease; }

 private:
  struct Sent {
    Ledger::About about;
    sink::Ticket ticket = 0;
    bool told = false;
  };
  struct Partition {
    std::deque<Sent> queue, wire;
    absl::Duration leaves, arrives;  // the last of each, at the earliest
  };
  // Shared with what is scheduled, which outlives the sink.
  struct State {
    World* world = nullptr;
    Process* process = nullptr;
    bool closed = false;
    int fd = -1;
    size_t in_flight = 0;
    std::vector<Partition> partitions;
    std::vector<Sent> acknowledged;  // for the next Poll
    absl::Duration permit_until = absl::InfiniteDuration();
  };
  static void Leave(const std::shared_ptr<State>& state, size_t partition);
  static void Arrive(const std::shared_ptr<State>& state, size_t partition);
  absl::Duration Now() const { return world_.time.Monotonic(); }
  void AcknowledgeUndelivered();
  void LoseWire();
  void SkipQueue();

  World& world_;
  Process& process_;
  const size_t capacity_;
  const std::shared_ptr<State> state_;
  std::vector<sink::Ticket> free_;  // planted: acknowledged though it never left
  size_t last_delete_ = 0;          // change
  bool broken_ = false;
};

}  // namespace walduct::simulation
