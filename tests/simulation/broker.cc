#include "tests/simulation/broker.h"

#include <algorithm>
#include <utility>

namespace walduct::simulation {

BrokerSink::BrokerSink(World* world)
    : world_(*world),
      capacity_(world->random.Between(1, 40)),
      state_(std::make_shared<State>()),
      last_arrival_(kTables * world->partitions) {
  state_->fd = world->time.NewDescriptor();
  state_->on_the_way.resize(last_arrival_.size());
}

BrokerSink::~BrokerSink() {
  state_->closed = true;
  for (size_t partition = 0; partition < state_->on_the_way.size(); ++partition) {
    auto& queue = state_->on_the_way[partition];
    for (size_t left = world_.random.Below(queue.size() + 1); left > 0; --left) {
      Sent sent;
      Arrive(&world_, state_.get(), partition, &sent);
    }
  }
}

// The first on the way.
void BrokerSink::Arrive(World* world, State* state, size_t partition, Sent* out) {
  *out = state->on_the_way[partition].front();
  state->on_the_way[partition].pop_front();
  world->ledger.OnArrived(out->change, out->tombstone);
}

absl::Status BrokerSink::Write(const event::Record& record, sink::Ticket ticket) {
  if (world_.Crash("Write")) return Dead();
  if (broken_) return absl::UnavailableError("broker lost");
  if (!HasCapacity()) return absl::ResourceExhaustedError("no room");
  const Sent sent{world_.ledger.ChangeOf(record), !record.value.has_value(), ticket};
  const size_t partition = world_.ledger.PartitionOf(sent.change, world_.partitions);
  state_->on_the_way[partition].push_back(sent);
  ++state_->in_flight;
  absl::Duration& last = last_arrival_[partition];
  last = std::max(last, world_.time.Monotonic() + world_.random.UpTo(absl::Seconds(1)));
  const absl::Duration until_told = world_.random.UpTo(absl::Milliseconds(300));
  world_.time.After(last - world_.time.Monotonic(),
                    [world = &world_, state = state_, partition, until_told] {
                      if (state->closed) return;
                      Sent arrived;
                      Arrive(world, state.get(), partition, &arrived);
                      world->time.After(until_told, [world, state, arrived] {
                        state->acknowledged.push_back(arrived);
                        world->time.SetReadable(state->fd, true);
                      });
                    });
  return absl::OkStatus();
}

absl::Status BrokerSink::Poll(sink::AckHandler& acks) {
  if (world_.Crash("Poll")) return Dead();
  if (!broken_ && world_.Happens(world_.faults.broker_fails)) {
    world_.Note("the producer fails");
    broken_ = true;
  }
  world_.time.SetReadable(state_->fd, false);
  for (const Sent& sent : std::exchange(state_->acknowledged, {})) {
    --state_->in_flight;
    world_.ledger.OnAcknowledged(sent.change, sent.tombstone);
    acks.OnAcknowledged(sent.ticket, 1);
  }
  return broken_ ? absl::UnavailableError("broker lost") : absl::OkStatus();
}

absl::Status BrokerSink::Flush(sink::AckHandler& acks, absl::Duration timeout) {
  const absl::Duration deadline = world_.time.Monotonic() + timeout;
  while (true) {
    if (absl::Status polled = Poll(acks); !polled.ok()) return polled;
    if (state_->in_flight == 0) return absl::OkStatus();
    const absl::Duration left = deadline - world_.time.Monotonic();
    if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("not acknowledged");
    world_.time.WaitReadable({state_->fd}, left);
  }
}

}  // namespace walduct::simulation
