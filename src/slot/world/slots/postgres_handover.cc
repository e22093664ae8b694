#include "slot/world/slots/postgres_handover.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "names/table_filter.h"
#include "postgres/connection_options.h"
#include "postgres/oid_text.h"
#include "postgres/options.h"
#include "postgres/server_check.h"
#include "replication/options.h"
#include "replication/session_names.h"
#include "replication/slot_lock.h"
#include "replication/slots/move_rights.h"
#include "snapshot/transaction.h"

namespace walduct::slot {
namespace {

using postgres::Connection;
using postgres::SessionKind;

constexpr absl::string_view kFreeSlots = R"(
SELECT pg_catalog.current_setting('max_replication_slots')::pg_catalog.int4
  - (SELECT pg_catalog.count(*) FROM pg_catalog.pg_replication_slots))";

// What stands for the hand-over where slots have their locks: no slot has such a name.
std::string LockName(absl::string_view first_slot) {
  return absl::StrCat(first_slot, " hand-over");
}

}  // namespace

PostgresHandover::PostgresHandover(Options options)
    : options_(std::move(options)),
      database_(std::make_unique<postgres::DatabaseOptions>(options_.database)) {}

PostgresHandover::~PostgresHandover() = default;

absl::StatusOr<std::unique_ptr<Connection>> PostgresHandover::Open(SessionKind kind,
                                                                   absl::string_view what) const {
  return Connection::Open({.database = *database_,
                           .kind = kind,
                           .application_name = replication::SessionName(options_.connector, what),
                           .stopping = options_.stopping,
                           .environment = options_.environment});
}

absl::Status PostgresHandover::Connect() {
  ASSIGN_OR_RETURN(sql_, Open(SessionKind::kSql, " hand-over"));
  database_->hostname = sql_->host();
  database_->port = sql_->port();
  catalog_ = std::make_unique<postgres::Catalog>(*sql_);
  ASSIGN_OR_RETURN(lead_, Open(SessionKind::kSql, " hand-over"));
  return replication::TakeSlotLock(*lead_, *sql_, LockName(options_.first_slot)).status();
}

absl::Status PostgresHandover::CheckHeld() { return lead_->Run("SELECT 1"); }

absl::StatusOr<replication::SystemIdentity> PostgresHandover::Identify() {
  ASSIGN_OR_RETURN(const postgres::ServerInfo server, postgres::CheckServer(*sql_));
  if (server.in_recovery) {
    return Error(absl::StatusCode::kFailedPrecondition, "slots_changed",
                 "the server is a standby, and tables can go to other slots on a primary alone",
                 "connect to the primary, or set walduct.slots back");
  }
  ASSIGN_OR_RETURN(const auto replication, Open(SessionKind::kReplication, " hand-over"));
  return replication::IdentifySystem(*replication);
}

absl::StatusOr<std::optional<replication::SlotState>> PostgresHandover::Slot(
    const std::string& name) {
  return replication::InspectSlot(*sql_, name);
}

absl::Status PostgresHandover::CheckFreeSlots(int count) {
  ASSIGN_OR_RETURN(const postgres::Result result, sql_->Query(postgres::OneRow(1), kFreeSlots));
  const int free = postgres::ParseInt(result.Get(0, 0), 0);
  if (free >= count) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "no_free_slot",
               absl::StrCat(count, " more replication slots are needed, and ", free, " are free"),
               "drop one that nobody uses (SELECT slot_name, active FROM pg_replication_slots), or "
               "raise max_replication_slots and restart the server");
}

absl::Status PostgresHandover::HoldSlots(const std::vector<std::string>& names) {
  slots_.reset();
  ASSIGN_OR_RETURN(auto holder, Open(SessionKind::kSql, " hand-over"));
  for (const std::string& name : names) {
    RETURN_IF_ERROR(replication::TakeSlotLock(*holder, *sql_, name).status());
    ASSIGN_OR_RETURN(const auto slot, replication::InspectSlot(*sql_, name));
    if (slot) RETURN_IF_ERROR(replication::CheckSlotUsable(*sql_, name, *slot));
  }
  slots_ = std::move(holder);
  return absl::OkStatus();
}

absl::Status PostgresHandover::MakePublications(const replication::SlotsChange& change) {
  return replication::MakeEmptyPublications(*sql_, change);
}

absl::StatusOr<Lsn> PostgresHandover::CreateSlot(const replication::ReplicationOptions& slot,
                                                 const replication::TellBlockers& tell) {
  ASSIGN_OR_RETURN(const auto replication, Open(SessionKind::kReplication, " hand-over"));
  ASSIGN_OR_RETURN(const replication::CreatedSlot created,
                   replication::CreateSlot(*replication, *sql_, slot, options_.stopping, tell));
  return created.consistent_point;
}

absl::StatusOr<std::vector<replication::TableMove>> PostgresHandover::FindMoves(
    const replication::SlotsChange& change) {
  names::TableFilterOptions whole = options_.tables;
  whole.share = nullptr;
  ASSIGN_OR_RETURN(const std::vector<postgres::TableName> captured,
                   catalog_->CapturedTables(names::TableFilter(std::move(whole))));
  return replication::FindMoves(*sql_, change, captured);
}

absl::Status PostgresHandover::CheckRights(const replication::SlotsChange& change,
                                           const std::vector<replication::TableMove>& moves) {
  return replication::CheckMoveRights(*sql_, change, moves);
}

absl::Status PostgresHandover::Move(const replication::SlotsChange& change,
                                    const replication::TableMove& move,
                                    replication::LockWait wait) {
  return replication::MoveTables(*sql_, change, move, wait);
}

absl::StatusOr<Lsn> PostgresHandover::CurrentLsn() { return snapshot::ReadCurrentLsn(*sql_); }

absl::Status PostgresHandover::DropSlot(const std::string& name) {
  return replication::DropSlot(*sql_, name);
}

absl::Status PostgresHandover::DropPublication(const std::string& name) {
  ASSIGN_OR_RETURN(const bool dropped, replication::DropPublication(*sql_, name));
  if (!dropped) {
    log::Warn("a publication that no slot needs any more is left: this role may not drop it",
              {{"publication", name}});
  }
  return absl::OkStatus();
}

}  // namespace walduct::slot
