// Stream: START_REPLICATION on the simulated database: transactions that were committed by now and
// do not lie before the start, each in full, with keepalives at any place, pauses, and a connection
// that may break between any two frames.
#pragma once

#include <set>
#include <string>

#include "replication/wal_source.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {

class Stream final : public replication::WalSource {
 public:
  Stream(World* world, Lsn start);

  absl::StatusOr<replication::WalFrame> Next() override;
  absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) override;
  int ready_fd() const override { return fd_; }
  void Stop(absl::Duration /*timeout*/) override {}

 private:
  // What comes before, within and after a transaction.
  enum class Part : uint8_t { kBegin, kChanges, kCommit };

  bool SkipOld();
  replication::WalFrame Message(uint64_t lsn, std::string payload);
  replication::WalFrame Keepalive();
  replication::WalFrame Transaction();
  void AwaitCommit();

  World& world_;
  const int fd_;
  const uint64_t start_;
  size_t next_ = 0;  // transaction
  Part part_ = Part::kBegin;
  size_t change_ = 0;
  std::set<size_t> announced_;  // tables
  std::string payload_;
  bool lost_ = false;
  bool reply_wanted_ = false;
};

}  // namespace walduct::simulation
