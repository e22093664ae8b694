// Stream: START_REPLICATION on the simulated database: transactions that were committed by now and
// do not lie before the start, each in full, with keepalives at any place, pauses, and a connection
// that may break between any two frames. The server ends it when it has not been heard of for
// wal_sender_timeout; what was sent before may still be read then.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>

#include "event/position.h"
#include "replication/wal_source.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {

class Stream final : public replication::WalSource {
 public:
  // The slot is free.
  Stream(World* world, Process* process, std::shared_ptr<Walsender> session,
         const event::Position& start);
  ~Stream() override;

  absl::StatusOr<replication::WalFrame> Next() override;
  absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) override;
  bool Ended() override { return walsender_->ended; }
  replication::ReceivePath path() const override {
    using replication::ReceivePath;
    return world_.policy.near ? ReceivePath::kNear : ReceivePath::kFar;
  }
  int ready_fd() const override { return walsender_->fd; }
  void Stop(absl::Duration /*timeout*/) override {}

 private:
  // What comes before, within and after a transaction.
  enum class Part : uint8_t { kBegin, kChanges, kCommit };

  bool SkipOld();
  replication::WalFrame Message(uint64_t lsn, std::string payload);
  replication::WalFrame Keepalive();
  replication::WalFrame Transaction();
  replication::WalFrame SignalOf(const simulation::Transaction& transaction);
  replication::WalFrame SplitTransaction(uint64_t end);
  void AwaitCommit();
  static void WatchWalsender(World* world, const std::shared_ptr<Walsender>& walsender);

  World& world_;
  Process& process_;
  const std::shared_ptr<Walsender> walsender_;
  uint64_t start_;
  const uint64_t event_lsn_;  // planted: what is at or before it is left out
  const uint32_t timeline_;
  size_t next_ = 0;  // transaction
  Part part_ = Part::kBegin;
  size_t change_ = 0;
  std::set<size_t> announced_;  // tables
  std::string payload_;
  std::deque<replication::WalFrame> planted_;
  std::deque<std::string> planted_payloads_;
  bool lost_ = false;
  size_t buffered_ = 0;  // frames that can be read though the server has ended it
  Lsn flushed_;
  bool reply_wanted_ = false;
};

}  // namespace walduct::simulation
