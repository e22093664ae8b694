// Replay: a committed transaction that was received while it was in progress, as protocol 1 would
// have sent it at its commit: Begin, what was not rolled back, Commit. Nothing when all of it was
// rolled back or left out, as PostgreSQL 15 and later do. Data thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "pgoutput/messages.h"
#include "replication/wal_source.h"
#include "slot/in_progress/announced_relations.h"
#include "spill/spill.h"

namespace walduct::slot {

// What is known of a transaction in progress.
struct TransactionInProgress {
  // Without the xids that a stream adds. The number is the LSN of its frame; of a Relation message
  // its place.
  std::unique_ptr<spill::MessageFile> messages;
  std::vector<uint32_t> rolled_back;  // sub-transactions; sorted for a Replay
  bool has_logical_messages = false;
};

class Replay {
 public:
  // announced is borrowed.
  Replay(TransactionInProgress transaction, const pgoutput::StreamCommitMessage& commit,
         AnnouncedRelations* announced);

  // kNone: there is no more. kKept: so far only messages that were rolled back; call again. The
  // payload is valid until the next call.
  absl::StatusOr<replication::WalFrame> Next();

 private:
  enum class State : uint8_t { kBefore, kOpening, kChanges, kDone };
  enum class Found : uint8_t { kMessage, kNothingYet, kEnd };

  absl::StatusOr<Found> Read();
  absl::StatusOr<Found> FindFirstChange();
  void Open();
  replication::WalFrame NextOfOpening();
  replication::WalFrame NextChange();
  replication::WalFrame Commit();

  spill::MessageReader reader_;
  const std::vector<uint32_t> rolled_back_;
  const pgoutput::StreamCommitMessage commit_;
  AnnouncedRelations& announced_;
  State state_ = State::kBefore;
  spill::Message message_;  // read last
  bool has_change_ = false, has_origin_ = false;
  // Begin, and what comes before the first change.
  std::vector<std::string> opening_;
  size_t opened_ = 0;
  std::string made_;  // a message that was not sent like this
  uint32_t last_xid_ = 0;
  bool last_rolled_back_ = false;
};

}  // namespace walduct::slot
