#include "tests/simulation/broker.h"

#include <algorithm>
#include <utility>

#include "tests/simulation/process.h"

namespace walduct::simulation {

BrokerSink::BrokerSink(World* world, Process* process)
    : world_(*world),
      process_(*process),
      capacity_(world->random.Between(1, 40)),
      state_(std::make_shared<State>()) {
  state_->world = world;
  state_->process = process;
  state_->fd = world->time.NewDescriptor();
  state_->partitions.resize(kTables * world->policy.partitions);
}

BrokerSink::~BrokerSink() {
  LoseWire();
  state_->closed = true;
}

void BrokerSink::LoseWire() {
  for (Partition& partition : state_->partitions) {
    for (size_t left = world_.random.Below(partition.wire.size() + 1); left > 0; --left) {
      world_.ledger.OnArrived(partition.wire.front().about);
      partition.wire.pop_front();
    }
    partition.wire.clear();
    partition.queue.clear();
  }
}

bool BrokerSink::HasCapacity() {
  return world_.defect == Defect::kDropWhenFull || state_->in_flight < capacity_;
}

absl::Status BrokerSink::Write(const event::Record& record, sink::Ticket ticket) {
  if (process_.Step("Write")) return Dead();
  if (broken_) return absl::UnavailableError("broker lost");
  const bool full = state_->in_flight >= capacity_;
  if (full && world_.defect != Defect::kDropWhenFull)
    return absl::ResourceExhaustedError("no room");
  const Sent sent{world_.ledger.Of(record, &last_delete_), ticket};
  if (full) {
    free_.push_back(ticket);
    world_.time.SetReadable(state_->fd, true);
    return absl::OkStatus();
  }
  const size_t partition = Ledger::PartitionOf(sent.about, world_.policy.partitions);
  Partition& to = state_->partitions[partition];
  to.queue.push_back(sent);
  ++state_->in_flight;
  to.leaves = std::max(to.leaves, Now() + world_.random.UpTo(absl::Seconds(1)));
  world_.time.After(to.leaves - Now(), [state = state_, partition] { Leave(state, partition); });
  return absl::OkStatus();
}

// The client's threads stand still with the process, and may wake before it does.
void BrokerSink::Leave(const std::shared_ptr<State>& state, size_t partition) {
  Partition& from = state->partitions[partition];
  if (state->closed || from.queue.empty() || state->process->dead()) return;
  World& world = *state->world;
  const absl::Duration now = world.time.Monotonic();
  absl::Duration later;
  const bool permitted = now < state->permit_until || world.defect == Defect::kZombieWrites;
  if (!state->process->runs()) {
    later = state->process->stands_until() - now + absl::Milliseconds(world.random.Below(2));
  } else if (!permitted) {
    later = absl::Milliseconds(50);
  }
  if (later > absl::ZeroDuration()) {
    world.time.After(later, [state, partition] { Leave(state, partition); });
    return;
  }
  from.wire.push_back(from.queue.front());
  from.queue.pop_front();
  from.arrives = std::max(from.arrives, now + world.random.UpTo(absl::Milliseconds(100)));
  world.time.After(from.arrives - now, [state, partition] { Arrive(state, partition); });
}

void BrokerSink::Arrive(const std::shared_ptr<State>& state, size_t partition) {
  Partition& from = state->partitions[partition];
  if (from.wire.empty()) return;
  const Sent sent = from.wire.front();
  from.wire.pop_front();
  World& world = *state->world;
  world.ledger.OnArrived(sent.about);
  world.time.After(world.random.UpTo(absl::Milliseconds(300)), [state, sent] {
    state->acknowledged.push_back(sent);
    state->world->time.SetReadable(state->fd, true);
  });
}

absl::Status BrokerSink::Poll(sink::AckHandler& acks) {
  if (process_.Step("Poll")) return Dead();
  if (!broken_ && world_.Happens(Fault::kBrokerFails)) {
    const bool skips = world_.defect == Defect::kSkipFailedDelivery;
    skips ? SkipQueue() : LoseWire();
    broken_ = !skips;
  }
  world_.time.SetReadable(state_->fd, false);
  AcknowledgeUndelivered();
  for (const sink::Ticket ticket : std::exchange(free_, {})) acks.OnAcknowledged(ticket, 1);
  for (const Sent& sent : std::exchange(state_->acknowledged, {})) {
    --state_->in_flight;
    world_.ledger.OnAcknowledged(sent.about);
    if (sent.about.kind == Ledger::Kind::kRead)
      process_.OnReadAcknowledged(sent.about.table, sent.about.key);
    if (!sent.told) acks.OnAcknowledged(sent.ticket, 1);
  }
  return broken_ ? absl::UnavailableError("broker lost") : absl::OkStatus();
}

void BrokerSink::AcknowledgeUndelivered() {
  if (!std::exchange(process_.keepalive_counts, false)) return;
  const auto tell = [this](Sent& sent) {
    if (!std::exchange(sent.told, true)) free_.push_back(sent.ticket);
  };
  for (Partition& partition : state_->partitions) {
    std::for_each(partition.queue.begin(), partition.queue.end(), tell);
    std::for_each(partition.wire.begin(), partition.wire.end(), tell);
  }
}

void BrokerSink::SkipQueue() {
  for (Partition& partition : state_->partitions) {
    for (const Sent& sent : std::exchange(partition.queue, {})) {
      free_.push_back(sent.ticket);
      --state_->in_flight;
    }
  }
}

absl::Status BrokerSink::Flush(sink::AckHandler& acks, absl::Duration timeout) {
  const absl::Duration deadline = process_.clock().Monotonic() + timeout;
  while (true) {
    if (absl::Status polled = Poll(acks); !polled.ok()) return polled;
    if (state_->in_flight == 0) return absl::OkStatus();
    const absl::Duration left = deadline - process_.clock().Monotonic();
    if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("not acknowledged");
    process_.poller().WaitReadable({state_->fd}, left);
  }
}

}  // namespace walduct::simulation
