#include "outbox/fence.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/server_check.h"

namespace walduct::outbox {

absl::StatusOr<Fence> TakeFence(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const bool standby, postgres::IsInRecovery(connection));
  if (standby) {
    return Error(absl::StatusCode::kFailedPrecondition, "outbox_standby",
                 "outbox housekeeping cannot delete on a standby",
                 "set walduct.outbox.cleanup=none, and clean on the primary");
  }
  // Two statements, in this order: see the header.
  ASSIGN_OR_RETURN(
      const postgres::Result oldest,
      connection.Query(postgres::OneRow(1),
                       "SELECT txid_snapshot_xmin(txid_current_snapshot()) % 4294967296"));
  ASSIGN_OR_RETURN(const postgres::Result end,
                   connection.Query(postgres::OneRow(1), "SELECT pg_current_wal_insert_lsn()"));
  Fence fence;
  fence.oldest_xid = std::string(oldest.Get(0, 0));
  ASSIGN_OR_RETURN(fence.wal_end, Lsn::Parse(end.Get(0, 0)));
  return fence;
}

absl::StatusOr<ServerMark> MarkServer(postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::OneRow(2),
                                    "SELECT extract(epoch FROM pg_postmaster_start_time()), "
                                    "txid_snapshot_xmax(txid_current_snapshot()) % 4294967296"));
  return ServerMark{std::string(result.Get(0, 0)), std::string(result.Get(0, 1))};
}

std::string BeforeFence(const Fence& fence) {
  return absl::StrCat("age(xmin) > age('", fence.oldest_xid, "'::xid)");
}

}  // namespace walduct::outbox
