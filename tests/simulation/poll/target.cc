#include "tests/simulation/poll/target.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/check.h"
#include "base/error.h"
#include "tests/simulation/poll/worker.h"

namespace walduct::poll_simulation {
namespace {

// A payload is "row 17.".
size_t SerialOf(const event::Record& record) {
  const absl::string_view value = *record.value;
  const size_t begin = value.find("\"row ");
  CHECK(begin != absl::string_view::npos);
  const size_t end = value.find('.', begin);
  size_t serial = 0;
  CHECK(absl::SimpleAtoi(value.substr(begin + 5, end - begin - 5), &serial));
  return serial;
}

absl::Status RefusedRecord() {
  return Error(absl::StatusCode::kInvalidArgument, "record_refused", "nobody takes that");
}

absl::Status Away() {
  return Error(absl::StatusCode::kUnavailable, "broker_lost", "the target is away");
}

// Counts down.
bool Refuses(Row* row, Row::Refused by, Ledger* ledger) {
  if (row->refused != by || row->refusals == 0) return false;
  --row->refusals;
  ledger->OnRefused(row->serial);
  return true;
}

}  // namespace

Target::Target(World* world, Worker* worker)
    : world_(*world),
      worker_(*worker),
      capacity_(world->random.Between(1, 20)),
      state_(std::make_shared<State>()) {
  state_->world = world;
  state_->worker = worker;
  state_->fd = world->time.NewDescriptor();
  state_->partitions.resize(world->policy.partitions);
}

Target::~Target() {
  LoseWire();
  world_.ledger.OnIncident();
  state_->closed = true;
}

void Target::LoseWire() {
  for (Partition& partition : state_->partitions) {
    const size_t most = partition.stands ? 0 : partition.wire.size();
    for (size_t left = world_.random.Below(most + 1); left > 0; --left) {
      Row& row = world_.server.row(partition.wire.front().serial);
      if (row.refused == Row::Refused::kByTarget && row.refusals > 0) break;
      world_.ledger.OnArrived(row.serial);
      partition.wire.pop_front();
    }
    partition.wire.clear();
    partition.queue.clear();
  }
}

void Target::RenewPermit() { state_->permit_until = world_.time.Monotonic() + kLease; }

absl::Status Target::Write(const event::Record& record, sink::Ticket ticket) {
  if (worker_.Step("Write")) return Worker::Dead();
  if (!broken_.ok()) return broken_;
  if (!HasCapacity()) return absl::ResourceExhaustedError("no room");
  Row& row = world_.server.row(SerialOf(record));
  if (Refuses(&row, Row::Refused::kBySink, &world_.ledger)) return RefusedRecord();
  const size_t partition = row.key % state_->partitions.size();
  Partition& to = state_->partitions[partition];
  to.queue.push_back({.serial = row.serial,
                      .ticket = ticket,
                      .number = record.id.lsn,
                      .topic = std::string(record.topic),
                      .key = std::string(record.key.value_or("")),
                      .value = std::string(*record.value)});
  ++state_->in_flight;
  if (world_.defect == Defect::kMarkEarly) {
    early_.push_back(ticket);
    world_.time.SetReadable(state_->fd, true);
  }
  const absl::Duration now = world_.time.Monotonic();
  to.leaves = std::max(to.leaves, now + world_.random.UpTo(absl::Milliseconds(300)));
  world_.time.After(to.leaves - now, [state = state_, partition] { Leave(state, partition); });
  return absl::OkStatus();
}

// The client's threads stand still with the process, and may wake before it does.
void Target::Leave(const std::shared_ptr<State>& state, size_t partition) {
  Partition& from = state->partitions[partition];
  if (state->closed || from.queue.empty() || state->worker->dead()) return;
  World& world = *state->world;
  const absl::Duration now = world.time.Monotonic();
  absl::Duration later;
  if (!state->worker->runs()) {
    later = state->worker->stands_until() - now + absl::Milliseconds(world.random.Below(2));
  } else if (now >= state->permit_until) {
    later = absl::Milliseconds(50);
  }
  if (later > absl::ZeroDuration()) {
    world.time.After(later, [state, partition] { Leave(state, partition); });
    return;
  }
  from.wire.push_back(std::move(from.queue.front()));
  from.queue.pop_front();
  from.arrives = std::max(from.arrives, now + world.random.UpTo(absl::Milliseconds(100)));
  world.time.After(from.arrives - now, [state, partition] { Arrive(state, partition); });
}

void Target::Arrive(const std::shared_ptr<State>& state, size_t partition) {
  Partition& from = state->partitions[partition];
  if (from.stands || from.wire.empty()) return;
  const Sent sent = std::move(from.wire.front());
  from.wire.pop_front();
  World& world = *state->world;
  const auto wake = [state] { state->world->time.SetReadable(state->fd, true); };
  if (Refuses(&world.server.row(sent.serial), Row::Refused::kByTarget, &world.ledger)) {
    from.stands = true;
    state->refused.push_back(sent);
    wake();
    return;
  }
  world.ledger.OnArrived(sent.serial);
  world.time.After(world.random.UpTo(absl::Milliseconds(300)), [state, sent, wake] {
    state->acknowledged.push_back(sent);
    wake();
  });
}

absl::Status Target::Poll(sink::AckHandler& acks) {
  if (worker_.Step("Poll")) return Worker::Dead();
  if (broken_.ok() && world_.Happens(Fault::kTargetFails)) {
    LoseWire();
    broken_ = Away();
  }
  world_.time.SetReadable(state_->fd, false);
  for (const sink::Ticket ticket : std::exchange(early_, {})) acks.OnAcknowledged(ticket, 1);
  for (const Sent& sent : std::exchange(state_->acknowledged, {})) {
    --state_->in_flight;
    world_.ledger.OnAcknowledged(sent.serial);
    if (world_.defect != Defect::kMarkEarly) acks.OnAcknowledged(sent.ticket, 1);
  }
  return broken_.ok() ? HandBack(acks) : broken_;
}

absl::Status Target::HandBack(sink::AckHandler& acks) {
  for (const Sent& sent : std::exchange(state_->refused, {})) {
    event::Record record{
        .topic = sent.topic, .partition = {}, .key = sent.key, .value = sent.value, .headers = {}};
    record.id.lsn = sent.number;
    broken_ = acks.OnRefused(record, sent.ticket, RefusedRecord());
    CHECK(!broken_.ok());  // nobody takes charge of it here
    LoseWire();
    return broken_;
  }
  return absl::OkStatus();
}

absl::Status Target::Flush(sink::AckHandler& acks, absl::Duration timeout) {
  const absl::Duration deadline = worker_.clock().Monotonic() + timeout;
  while (true) {
    if (absl::Status polled = Poll(acks); !polled.ok()) return polled;
    if (state_->in_flight == 0) return absl::OkStatus();
    const absl::Duration left = deadline - worker_.clock().Monotonic();
    if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("not acknowledged");
    worker_.poller().WaitReadable({state_->fd}, left);
  }
}

}  // namespace walduct::poll_simulation
