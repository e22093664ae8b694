// Target: a worker's way to where events go. As simulation's BrokerSink: what is written stays in a
// queue for a while, and leaves it only while the worker runs and has its permit
// (kafka::SendPermit); records of a partition arrive in order, acknowledgements come later. Beside
// that some rows are refused, by the sink as they are written or by the target after they were
// sent: then nothing behind them of their partition has arrived.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sink/sink.h"
#include "tests/simulation/poll/world.h"

namespace walduct::poll_simulation {

class Worker;

class Target final : public sink::Sink {
 public:
  Target(World* world, Worker* worker);
  // What is on the wire arrives, or the last of it does not; what is in the queue is gone.
  ~Target() override;

  bool HasCapacity() override { return state_->in_flight < capacity_; }
  absl::Status Write(const event::Record& record, sink::Ticket ticket) override;
  absl::Status Poll(sink::AckHandler& acks) override;
  int ready_fd() const override { return state_->fd; }
  absl::Status Flush(sink::AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override;

 private:
  struct Sent {
    size_t serial = 0;
    sink::Ticket ticket = 0;
    uint64_t number = 0;  // of the record
    std::string topic = {}, key = {}, value = {};
  };
  struct Partition {
    std::deque<Sent> queue, wire;
    absl::Duration leaves, arrives;  // the last of each, at the earliest
    bool stands = false;             // behind one that is refused
  };
  // Shared with what is scheduled, which outlives the sink.
  struct State {
    World* world = nullptr;
    Worker* worker = nullptr;
    bool closed = false;
    int fd = -1;
    size_t in_flight = 0;
    std::vector<Partition> partitions;
    std::vector<Sent> acknowledged, refused;  // for the next Poll
    absl::Duration permit_until = absl::InfiniteDuration();
  };
  static void Leave(const std::shared_ptr<State>& state, size_t partition);
  static void Arrive(const std::shared_ptr<State>& state, size_t partition);
  void LoseWire();
  absl::Status HandBack(sink::AckHandler& acks);

  World& world_;
  Worker& worker_;
  const size_t capacity_;
  const std::shared_ptr<State> state_;
  std::vector<sink::Ticket> early_;  // planted: acknowledged as soon as written
  absl::Status broken_;
};

}  // namespace walduct::poll_simulation
