// HandoverServer: the database as a hand-over to another number of slots needs it. Seam for tests;
// the real one is PostgresHandover. Data thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "replication/slot.h"
#include "replication/slots/table_moves.h"

namespace walduct::replication {
struct ReplicationOptions;
}

namespace walduct::slot {

class HandoverServer {
 public:
  virtual ~HandoverServer() = default;

  // Connects, and keeps other instances from leading the same hand-over. To be called first.
  //   Unavailable slot_held  another one leads it
  virtual absl::Status Connect() = 0;
  // Whether that is still so. Answers within a second.
  virtual absl::Status CheckHeld() = 0;
  // FailedPrecondition: a standby, an old server.
  virtual absl::StatusOr<replication::SystemIdentity> Identify() = 0;
  virtual absl::StatusOr<std::optional<replication::SlotState>> Slot(const std::string& name) = 0;
  // Whether so many more can be made.
  virtual absl::Status CheckFreeSlots(int count) = 0;

  // Keeps others from these slots until ReleaseSlots: nobody reads them, nobody begins to.
  //   Aborted slot_in_use, Unavailable slot_held  somebody does
  virtual absl::Status HoldSlots(const std::vector<std::string>& names) = 0;
  virtual void ReleaseSlots() = 0;

  virtual absl::Status MakePublications(const replication::SlotsChange& change) = 0;
  // Its consistent point. tell: what it waits for.
  virtual absl::StatusOr<Lsn> CreateSlot(const replication::ReplicationOptions& slot,
                                         const replication::TellBlockers& tell) = 0;
  virtual absl::StatusOr<std::vector<replication::TableMove>> FindMoves(
      const replication::SlotsChange& change) = 0;
  // PermissionDenied publication_not_permitted: the role may not make them.
  virtual absl::Status CheckRights(const replication::SlotsChange& change,
                                   const std::vector<replication::TableMove>& moves) = 0;
  virtual absl::Status Move(const replication::SlotsChange& change,
                            const replication::TableMove& move, replication::LockWait wait) = 0;
  // The end of the WAL: all that was committed through this object is before it.
  virtual absl::StatusOr<Lsn> CurrentLsn() = 0;
  virtual absl::Status DropSlot(const std::string& name) = 0;
  virtual absl::Status DropPublication(const std::string& name) = 0;
};

}  // namespace walduct::slot
