// TransactionalSink: the engine's way to the simulated broker for exactly once. What is written
// appears in the topics when its transaction is committed, together with the position, or never.
// The broker takes nothing of a sink that another has shut out, nor of one whose transaction has
// lasted too long. A commit that has left the client takes effect whatever becomes of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sink/sink.h"
#include "sink/transactions.h"
#include "tests/simulation/process.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {

class TransactionalSink final : public sink::Sink, private sink::SinkTransactions {
 public:
  TransactionalSink(World* world, Process* process);
  // What has not left the client is gone.
  ~TransactionalSink() override { state_->closed = true; }

  bool HasCapacity() override;
  absl::Status Write(const event::Record& record, sink::Ticket ticket) override;
  absl::Status Poll(sink::AckHandler& acks) override;
  int ready_fd() const override { return state_->fd; }
  absl::Status Flush(sink::AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override { state_->permit_until = Now() + kLease; }
  sink::SinkTransactions* transactions() override { return this; }

 private:
  struct Transaction {
    std::vector<std::pair<Ledger::About, sink::Ticket>> records;
    size_t arrived = 0;                       // of them
    absl::Duration leaves;                    // the last of them, at the earliest
    std::optional<absl::Duration> opened;     // at the broker
    std::optional<std::string> position;      // to be committed with it
    std::optional<Process::Reading> reading;  // a snapshot that is whole with it
  };
  // Shared with what is scheduled, which outlives the sink.
  struct State {
    World* world = nullptr;
    Process* process = nullptr;
    bool closed = false;
    int fd = -1;
    uint64_t epoch = 0;
    absl::Duration timeout;
    absl::Duration permit_until = absl::InfiniteDuration();
    std::shared_ptr<Transaction> open;
    absl::Status refused;                // by the broker, for good
    std::optional<absl::Status> answer;  // to a commit
    std::vector<sink::Ticket> acknowledged;
  };
  using Shared = std::shared_ptr<State>;
  using Open = std::shared_ptr<Transaction>;
  // What leaves the client: when it runs and may. Zero: now.
  static absl::Duration HeldBack(const State& state);
  static bool Refuses(State* state, const Transaction& transaction);
  static void Send(const Shared& state, const Open& transaction);
  static void Arrive(World* world, Transaction* transaction);
  static void SendCommit(const Shared& state, const Open& transaction);
  static void Commit(const Shared& state, const Open& transaction, bool answers);
  static void Answer(const Shared& state, const absl::Status& answer);

  absl::Status TakeOver() override;
  absl::Status Begin() override;
  absl::Status StartCommit(const event::Record& position) override;
  std::optional<absl::Status> PollCommit() override;
  absl::Status Abort(absl::Duration timeout) override;
  absl::Duration timeout() const override { return state_->timeout; }

  absl::Duration Now() const { return world_.time.Monotonic(); }
  size_t unsent() const { return state_->open->records.size() - state_->open->arrived; }
  absl::Status Usable();

  World& world_;
  Process& process_;
  const size_t capacity_;
  const Shared state_;
  size_t last_delete_ = 0;  // change
  absl::Status broken_;
};

}  // namespace walduct::simulation
