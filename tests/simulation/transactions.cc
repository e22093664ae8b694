#include "tests/simulation/transactions.h"

#include "base/check.h"
#include "base/error.h"
#include "tests/simulation/disk.h"

namespace walduct::simulation {
namespace {

void Store(World* world, const std::string& position) {
  world->disk.content = position;
  NoteStored(world, *offset::DecodeOffset(position));
}

}  // namespace

TransactionalSink::TransactionalSink(World* world, Process* process)
    : world_(*world),
      process_(*process),
      capacity_(world->random.Between(1, 40)),
      state_(std::make_shared<State>()) {
  state_->world = world;
  state_->process = process;
  state_->fd = world->time.NewDescriptor();
  // Snapshots have time; a short one is a transaction that expires now and then.
  state_->timeout = world->policy.mode == snapshot::SnapshotMode::kNever && world->random.OneIn(2)
                        ? absl::Seconds(static_cast<int64_t>(world->random.Between(10, 60)))
                        : absl::Minutes(15);
}

absl::Status TransactionalSink::Usable() {
  if (broken_.ok() && !state_->refused.ok()) broken_ = state_->refused;
  return broken_;
}

absl::Status TransactionalSink::TakeOver() {
  if (process_.Step("TakeOver")) return Dead();
  if (world_.Happens(Fault::kRefuses)) return absl::UnavailableError("no broker");
  // What is being committed may yet be.
  process_.poller().WaitReadable({}, world_.random.UpTo(absl::Seconds(5)));
  if (process_.dead()) return Dead();
  if (world_.defect != Defect::kNoFence) ++world_.transactions_owner;
  state_->epoch = world_.transactions_owner;
  // The broker has done it, whether anybody hears of it or not.
  return process_.Step("TakeOver") ? Dead() : absl::OkStatus();
}

absl::Status TransactionalSink::Begin() {
  if (absl::Status usable = Usable(); !usable.ok()) return usable;
  CHECK(!state_->open);
  state_->open = std::make_shared<Transaction>();
  return absl::OkStatus();
}

bool TransactionalSink::HasCapacity() {
  return state_->open && !state_->open->position && unsent() < capacity_;
}

absl::Status TransactionalSink::Write(const event::Record& record, sink::Ticket ticket) {
  if (process_.Step("Write")) return Dead();
  if (absl::Status usable = Usable(); !usable.ok()) return usable;
  if (!state_->open) return absl::FailedPreconditionError("no transaction is open");
  if (!HasCapacity()) return absl::ResourceExhaustedError("no room");
  Transaction& open = *state_->open;
  open.records.emplace_back(world_.ledger.Of(record, &last_delete_), ticket);
  open.leaves = std::max(open.leaves, Now() + world_.random.UpTo(absl::Seconds(1)));
  world_.time.After(open.leaves - Now(),
                    [state = state_, transaction = state_->open] { Send(state, transaction); });
  return absl::OkStatus();
}

absl::Duration TransactionalSink::HeldBack(const State& state) {
  World& world = *state.world;
  const absl::Duration now = world.time.Monotonic();
  if (!state.process->runs())
    return state.process->stands_until() - now + absl::Milliseconds(world.random.Below(2));
  return now < state.permit_until ? absl::ZeroDuration() : absl::Milliseconds(50);
}

bool TransactionalSink::Refuses(State* state, const Transaction& transaction) {
  World& world = *state->world;
  const absl::Duration now = world.time.Monotonic();
  if (state->epoch != world.transactions_owner) {
    state->refused =
        Error(absl::StatusCode::kFailedPrecondition, "fenced", "another sink has taken over");
  } else if (transaction.opened && now - *transaction.opened > state->timeout) {
    state->refused =
        Error(absl::StatusCode::kUnavailable, "transaction_expired", "it lasted too long");
  }
  if (!state->refused.ok()) world.time.SetReadable(state->fd, true);
  return !state->refused.ok();
}

// One record of it, in order; the commit behind the last.
void TransactionalSink::Send(const Shared& state, const Open& transaction) {
  if (state->closed || state->process->dead() || state->open != transaction) return;
  World& world = *state->world;
  if (const absl::Duration later = HeldBack(*state); later > absl::ZeroDuration())
    return world.time.After(later, [state, transaction] { Send(state, transaction); });
  if (Refuses(state.get(), *transaction)) return;
  if (transaction->arrived < transaction->records.size()) Arrive(&world, transaction.get());
  const bool whole = transaction->arrived == transaction->records.size();
  if (transaction->position && whole) SendCommit(state, transaction);
  world.time.SetReadable(state->fd, true);
}

void TransactionalSink::Arrive(World* world, Transaction* transaction) {
  if (!transaction->opened) transaction->opened = world->time.Monotonic();
  if (world->defect == Defect::kReadUncommitted)
    world->ledger.OnArrived(transaction->records[transaction->arrived].first);
  ++transaction->arrived;
}

void TransactionalSink::SendCommit(const Shared& state, const Open& transaction) {
  World& world = *state->world;
  absl::Duration takes = world.random.UpTo(absl::Milliseconds(300));
  if (world.Happens(Fault::kSaveHangs)) takes += world.random.UpTo(absl::Minutes(1));
  bool answers = true;
  if (world.Happens(Fault::kSaveFails)) {
    Answer(state, absl::UnavailableError("the commit fails"));
    answers = false;
    if (world.random.OneIn(2)) return;
    takes += world.random.UpTo(absl::Seconds(10));
  }
  world.time.After(takes, [state, transaction, answers] { Commit(state, transaction, answers); });
}

void TransactionalSink::Commit(const Shared& state, const Open& transaction, bool answers) {
  World& world = *state->world;
  if (Refuses(state.get(), *transaction)) return;
  for (const auto& [about, ticket] : transaction->records) {
    if (world.defect != Defect::kReadUncommitted) world.ledger.OnArrived(about);
    world.ledger.OnAcknowledged(about);
    if (transaction->reading && about.kind == Ledger::Kind::kRead)
      transaction->reading->due.erase({about.table, about.key});
  }
  if (transaction->reading && transaction->reading->due.empty())
    transaction->reading->Delivered(&world);
  if (world.defect == Defect::kPositionLater) {
    world.time.After(absl::Milliseconds(300), [&world, position = *transaction->position, state] {
      if (!state->closed) Store(&world, position);
    });
  } else if (world.defect != Defect::kPositionFirst) {
    Store(&world, *transaction->position);
  }
  if (answers) Answer(state, absl::OkStatus());
}

void TransactionalSink::Answer(const Shared& state, const absl::Status& answer) {
  World& world = *state->world;
  world.time.After(world.random.UpTo(absl::Milliseconds(300)), [state, answer] {
    state->answer = answer;
    state->world->time.SetReadable(state->fd, true);
  });
}

absl::Status TransactionalSink::StartCommit(const event::Record& position) {
  if (process_.Step("StartCommit")) return Dead();
  if (absl::Status usable = Usable(); !usable.ok()) return usable;
  CHECK(state_->open && !state_->open->position);
  Transaction& open = *state_->open;
  open.position = std::string(*position.value);
  if (process_.reading && process_.reading->all_read) open.reading = process_.reading;
  if (world_.defect == Defect::kPositionFirst) Store(&world_, *open.position);
  if (open.arrived < open.records.size()) return absl::OkStatus();
  world_.time.After(world_.random.UpTo(absl::Milliseconds(100)),
                    [state = state_, transaction = state_->open] { Send(state, transaction); });
  return absl::OkStatus();
}

std::optional<absl::Status> TransactionalSink::PollCommit() {
  world_.time.SetReadable(state_->fd, false);
  if (process_.Step("PollCommit")) return Dead();
  if (absl::Status usable = Usable(); !usable.ok()) return usable;
  if (!state_->answer) return std::nullopt;
  absl::Status answer = *std::exchange(state_->answer, std::nullopt);
  if (!answer.ok()) return broken_ = std::move(answer);
  for (const auto& [about, ticket] : state_->open->records) state_->acknowledged.push_back(ticket);
  if (state_->open->reading) process_.reading.reset();
  state_->open.reset();
  world_.time.SetReadable(state_->fd, true);
  return absl::OkStatus();
}

absl::Status TransactionalSink::Abort(absl::Duration) {
  if (process_.Step("Abort")) return Dead();
  if (absl::Status usable = Usable(); !usable.ok()) return usable;
  if (state_->open && state_->open->position)
    return absl::UnavailableError("a commit is under way");
  state_->open.reset();
  return absl::OkStatus();
}

absl::Status TransactionalSink::Poll(sink::AckHandler& acks) {
  if (process_.Step("Poll")) return Dead();
  if (broken_.ok() && world_.Happens(Fault::kBrokerFails))
    broken_ = absl::UnavailableError("broker lost");
  if (absl::Status usable = Usable(); !usable.ok()) return usable;
  if (!state_->answer) world_.time.SetReadable(state_->fd, false);
  for (const sink::Ticket ticket : std::exchange(state_->acknowledged, {}))
    acks.OnAcknowledged(ticket, 1);
  return absl::OkStatus();
}

absl::Status TransactionalSink::Flush(sink::AckHandler& acks, absl::Duration timeout) {
  const absl::Duration deadline = process_.clock().Monotonic() + timeout;
  while (true) {
    if (absl::Status polled = Poll(acks); !polled.ok()) return polled;
    if (!state_->open || unsent() == 0) return absl::OkStatus();
    const absl::Duration left = deadline - process_.clock().Monotonic();
    if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("not acknowledged");
    process_.poller().WaitReadable({state_->fd}, left);
  }
}

}  // namespace walduct::simulation
