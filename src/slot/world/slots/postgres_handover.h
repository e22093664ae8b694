// PostgresHandover: the real HandoverServer, over libpq: a session that works, and two that hold
// locks. Data thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "slot/world/slots/handover_server.h"

namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::postgres {
struct DatabaseOptions;
}

namespace walduct::slot {

class PostgresHandover final : public HandoverServer {
 public:
  // References are borrowed.
  struct Options {
    std::string connector;
    std::string first_slot;
    const postgres::DatabaseOptions& database;
    const names::TableFilterOptions& tables;
    postgres::StopCheck stopping;  // gives up what waits
    Environment environment;
  };
  explicit PostgresHandover(Options options);
  ~PostgresHandover() override;

  absl::Status Connect() override;
  absl::Status CheckHeld() override;
  absl::StatusOr<replication::SystemIdentity> Identify() override;
  absl::StatusOr<std::optional<replication::SlotState>> Slot(const std::string& name) override;
  absl::Status CheckFreeSlots(int count) override;
  absl::Status HoldSlots(const std::vector<std::string>& names) override;
  void ReleaseSlots() override { slots_.reset(); }
  absl::Status MakePublications(const replication::SlotsChange& change) override;
  absl::StatusOr<Lsn> CreateSlot(const replication::ReplicationOptions& slot,
                                 const replication::TellBlockers& tell) override;
  absl::StatusOr<std::vector<replication::TableMove>> FindMoves(
      const replication::SlotsChange& change) override;
  absl::Status CheckRights(const replication::SlotsChange& change,
                           const std::vector<replication::TableMove>& moves) override;
  absl::Status Move(const replication::SlotsChange& change, const replication::TableMove& move,
                    replication::LockWait wait) override;
  absl::StatusOr<Lsn> CurrentLsn() override;
  absl::Status DropSlot(const std::string& name) override;
  absl::Status DropPublication(const std::string& name) override;

 private:
  absl::StatusOr<std::unique_ptr<postgres::Connection>> Open(postgres::SessionKind kind,
                                                             absl::string_view what) const;

  const Options options_;
  // Of several hosts, once connected, the one.
  std::unique_ptr<postgres::DatabaseOptions> database_;
  std::unique_ptr<postgres::Connection> sql_;
  std::unique_ptr<postgres::Catalog> catalog_;   // uses sql_
  std::unique_ptr<postgres::Connection> lead_;   // has the lock of the hand-over
  std::unique_ptr<postgres::Connection> slots_;  // has those of the slots
};

}  // namespace walduct::slot
