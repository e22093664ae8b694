// PollSession: with walduct.outbox.cleanup=drop_partitions. Drops partitions of a time that is
// past, once all that is in them is published. A partition that somebody has locked, or whose rows
// are not all published, is looked at again the next time.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "poll/rows/partition_sql.h"
#include "poll/session/poll_session.h"

namespace walduct::poll {
namespace {

absl::Status TooSlow(const Partition& partition) {
  return Error(absl::StatusCode::kDeadlineExceeded, "query_timeout",
               absl::StrCat("it takes too long to find out whether each row of partition ",
                            partition.name, " is published"),
               "an index of the rows that are not published (docs/outbox.md)");
}

}  // namespace

absl::Status PollSession::DropPartitionsPast(absl::Duration retention) {
  absl::Status why;
  for (const OutboxTable& table : tables_)
    RETURN_IF_ERROR(DropPartitionsOf(table, retention, &why));
  metrics::ConnectorMetrics& metrics = *parts_.attempt.metrics;
  if (why.ok()) {
    metrics.beside.Works(metrics::Beside::kOutboxCleanup);
    return absl::OkStatus();
  }
  metrics.outbox_cleanup_errors.Add();
  metrics.beside.Failed(metrics::Beside::kOutboxCleanup, parts_.attempt.world->clock().Now(),
                        std::string(why.message()), ErrorHint(why));
  log::Warn("partitions of an outbox table cannot be dropped",
            {{"reason", ErrorReason(why)}, {"error", why.message()}, {"hint", ErrorHint(why)}});
  return absl::OkStatus();
}

// *why: what the server says against it, other than that somebody has locked it.
absl::Status PollSession::DropPartitionsOf(const OutboxTable& table, absl::Duration retention,
                                           absl::Status* why) {
  // What of a window is published its ids alone say.
  if (positions() && !positions_[table.name].window.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<postgres::Result> past,
                   AskBriefly({PastPartitionsSql(table, retention), {}, postgres::Rows(2)}, why));
  if (!past || past->rows() == 0) return absl::OkStatus();
  std::string seen;
  if (positions()) {
    // What is stored counts.
    RETURN_IF_ERROR(SavePositions(false));
    seen = positions_[table.name].seen;
  }
  for (int row = 0; row < past->rows(); ++row) {
    const Partition partition{.oid = std::string(past->Get(row, 0)),
                              .name = std::string(past->Get(row, 1))};
    absl::Status refused;
    ASSIGN_OR_RETURN(const std::optional<postgres::Result> done,
                     AskBriefly({DropSql(table, partition, seen), {}, std::nullopt}, &refused));
    if (!done && refused.ok()) why->Update(TooSlow(partition));
    if (!done && ErrorReason(refused) != "lock_timeout") why->Update(refused);
    if (!done) continue;
    ASSIGN_OR_RETURN(const auto there, Ask(IsThereSql(partition), postgres::OneRow(1)));
    if (there.Get(0, 0) == "t") continue;
    parts_.attempt.metrics->outbox_partitions_dropped.Add();
    log::Info("outbox partition dropped", {{"partition", partition.name}});
  }
  return absl::OkStatus();
}

}  // namespace walduct::poll
