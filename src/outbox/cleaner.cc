#include "outbox/cleaner.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "outbox/options.h"
#include "postgres/connection.h"

namespace walduct::outbox {
namespace {

constexpr absl::Duration kStatementLimit = absl::Minutes(5);

absl::StatusOr<uint64_t> ToCount(const absl::StatusOr<std::string>& answer) {
  RETURN_IF_ERROR(answer.status());
  uint64_t count = 0;
  if (absl::SimpleAtoi(*answer, &count)) return count;
  return absl::InternalError("count(*) is not a number");
}

// Conditions that are constants of the statement.
std::string IsAttached(const Leaf& leaf) {
  return absl::StrCat("EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = ", leaf.oid,
                      " AND coalesce(to_jsonb(i) ->> 'inhdetachpending', 'false') = 'false')");
}

std::string IsOlder(const Leaf& leaf) {
  return absl::StrCat("age(xmin) > age('", leaf.since, "'::pg_catalog.xid)");
}

bool IsLocked(const absl::Status& status) { return ErrorReason(status) == "lock_timeout"; }

}  // namespace

absl::Status Cleaner::Prepare() {
  RETURN_IF_ERROR(parts_.connection->Set("lock_timeout", "100ms"));
  // Deletions that a crash undoes are made again: no commit needs to wait for the disk.
  return parts_.connection->Set("synchronous_commit", "off");
}

absl::Status Cleaner::Clean(const Fence& acknowledged, Removed* removed) {
  ASSIGN_OR_RETURN(const auto leaves, FindLeaves(*parts_.connection, parts_.tables));
  absl::Status first_error;
  for (const Leaf& leaf : leaves) {
    const absl::Status done =
        Drops(leaf) ? Drop(leaf, acknowledged, removed) : Delete(leaf, acknowledged, removed);
    // Locked as a whole, by DDL or a VACUUM FULL: another time.
    if (done.ok() || IsLocked(done)) continue;
    if (absl::IsCancelled(done) || absl::IsUnavailable(done)) return done;
    first_error.Update(done);
  }
  return first_error;
}

absl::StatusOr<Removed> Cleaner::Count(const Fence& acknowledged) {
  ASSIGN_OR_RETURN(const auto leaves, FindLeaves(*parts_.connection, parts_.tables));
  Removed found;
  for (const Leaf& leaf : leaves) {
    if (Drops(leaf)) {
      found.partitions += leaf.expired ? 1 : 0;
      continue;
    }
    ASSIGN_OR_RETURN(const uint64_t rows,
                     ToCount(Ask(absl::StrCat("SELECT count(*) FROM ONLY ", leaf.relation,
                                              " WHERE ", Removable(leaf, acknowledged)))));
    found.rows += rows;
  }
  return found;
}

bool Cleaner::Drops(const Leaf& leaf) const {
  return parts_.tables.outbox->cleanup == OutboxCleanup::kDropPartitions && leaf.bounded;
}

// Old enough and behind the fence.
std::string Cleaner::Due(const Leaf& leaf, const Fence& fence) const {
  const std::string before = BeforeFence(fence);
  if (leaf.time_column.empty()) return before;
  return absl::StrCat(leaf.time_column, " < now() - interval '",
                      absl::ToInt64Milliseconds(parts_.tables.outbox->retention), " ms' AND ",
                      before);
}

// By name and OID: another table may have got the name since. Not from a partition that has been
// detached.
std::string Cleaner::Removable(const Leaf& leaf, const Fence& fence) const {
  std::string condition =
      absl::StrCat(Due(leaf, fence), " AND tableoid = ", leaf.oid, "::pg_catalog.oid");
  if (leaf.partition) absl::StrAppend(&condition, " AND ", IsAttached(leaf));
  if (!leaf.since.empty()) absl::StrAppend(&condition, " AND NOT (", IsOlder(leaf), ")");
  return condition;
}

absl::Status Cleaner::CheckHeldBack(const Leaf& leaf, const std::string& due) {
  if (leaf.since.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string any,
                   Ask(absl::StrCat("SELECT EXISTS (SELECT FROM ONLY ", leaf.relation, " WHERE ",
                                    due, " AND ", IsOlder(leaf), ")")));
  if (any != "t") return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_history",
               absl::StrCat("outbox table ", leaf.relation,
                            " holds rows from before it was attached or published: they may never "
                            "have been published as events, and are not removed"),
               "remove them yourself, or accept it with walduct.outbox.cleanup.history=delete");
}

absl::Status Cleaner::Delete(const Leaf& leaf, const Fence& fence, Removed* removed) {
  const auto batch = static_cast<uint64_t>(parts_.tables.outbox->batch_rows);
  // By ctid: the rows are locked by the same statement, so none can move.
  const std::string sql =
      absl::StrCat("WITH gone AS (DELETE FROM ONLY ", leaf.relation,
                   " WHERE ctid = ANY (ARRAY(SELECT ctid FROM ONLY ", leaf.relation, " WHERE ",
                   Removable(leaf, fence), " LIMIT ", batch,
                   " FOR UPDATE SKIP LOCKED)) RETURNING 1) ", "SELECT count(*) FROM gone");
  uint64_t rows = batch;
  while (rows == batch) {
    ASSIGN_OR_RETURN(rows, ToCount(Ask(sql)));
    removed->rows += rows;
  }
  return CheckHeldBack(leaf, Due(leaf, fence));
}

absl::Status Cleaner::Drop(const Leaf& leaf, const Fence& fence, Removed* removed) {
  if (!leaf.expired) return absl::OkStatus();
  RETURN_IF_ERROR(Do("BEGIN"));
  const absl::StatusOr<bool> dropped = DropLocked(leaf, fence);
  const bool keep = dropped.ok() && *dropped;
  const absl::Status ended = parts_.connection->Run(keep ? "COMMIT" : "ROLLBACK");
  RETURN_IF_ERROR(dropped.status());
  RETURN_IF_ERROR(ended);
  if (!keep) return absl::OkStatus();
  ++removed->partitions;
  log::Info("outbox partition dropped", {{"partition", leaf.relation}});
  return absl::OkStatus();
}

absl::StatusOr<bool> Cleaner::DropLocked(const Leaf& leaf, const Fence& fence) {
  // SHARE waits for writers of this partition alone and lets readers go on during the check. From
  // then on all of its rows are of transactions that have ended.
  RETURN_IF_ERROR(Do(absl::StrCat("LOCK TABLE ONLY ", leaf.relation, " IN SHARE MODE")));
  // It may have been detached, or have got the name of another table, until the lock was there.
  ASSIGN_OR_RETURN(const std::string same,
                   Ask(absl::StrCat("SELECT ", postgres::QuoteLiteral(leaf.relation),
                                    "::pg_catalog.regclass = ", leaf.oid, "::pg_catalog.oid AND ",
                                    IsAttached(leaf))));
  if (same != "t") return false;
  ASSIGN_OR_RETURN(const std::string newer,
                   Ask(absl::StrCat("SELECT EXISTS (SELECT FROM ONLY ", leaf.relation,
                                    " WHERE NOT (", BeforeFence(fence), "))")));
  if (newer == "t") return false;
  RETURN_IF_ERROR(CheckHeldBack(leaf, "true"));
  RETURN_IF_ERROR(Do(absl::StrCat("DROP TABLE ", leaf.relation)));
  return true;
}

absl::StatusOr<std::string> Cleaner::Ask(absl::string_view sql) {
  if (parts_.stopping && parts_.stopping()) return absl::CancelledError("stopping");
  ASSIGN_OR_RETURN(
      const postgres::Result result,
      parts_.connection->QueryWithin(kStatementLimit, postgres::OneRow(1), sql, parts_.stopping));
  return std::string(result.Get(0, 0));
}

absl::Status Cleaner::Do(absl::string_view sql) {
  return parts_.connection->QueryWithin(kStatementLimit, postgres::Rows(0), sql, parts_.stopping)
      .status();
}

}  // namespace walduct::outbox
