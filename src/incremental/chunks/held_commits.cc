#include "incremental/chunks/held_commits.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/status_macros.h"

namespace walduct::incremental {
namespace {

// Every transaction with a number has a lock on it until others see how it ended, also one that is
// prepared. Of a session of another role all but its database is hidden, unless pg_read_all_stats
// is granted. Whoever commits a prepared transaction waits without a number of its own. A session
// that is idle in its transaction commits nothing now, so nothing of it was streamed.
constexpr absl::string_view kLockedNumbers = R"(
SELECT l.transactionid,
  CASE WHEN a.state IS NOT NULL THEN coalesce(a.wait_event = 'SyncRep', false)
       WHEN l.pid IS NULL THEN (
         SELECT CASE WHEN pg_catalog.bool_or(w.wait_event = 'SyncRep') THEN true
                     WHEN pg_catalog.bool_or(w.state IS NULL) THEN NULL ELSE false END
         FROM pg_catalog.pg_stat_activity w WHERE w.datid = d.oid AND w.usesysid IS NOT NULL) END,
  coalesce(pg_catalog.current_setting('synchronous_standby_names', true), '?') <> ''
FROM pg_catalog.pg_database d CROSS JOIN pg_catalog.pg_locks l
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
LEFT JOIN pg_catalog.pg_prepared_xacts p ON l.pid IS NULL AND p.transaction = l.transactionid
WHERE d.datname = pg_catalog.current_database() AND l.locktype = 'transactionid' AND l.granted
  AND l.mode = 'ExclusiveLock' AND (a.datid = d.oid OR p.database = d.datname)
  AND coalesce(a.state, '') NOT LIKE 'idle in transaction%')";

}  // namespace

absl::Status HeldCommits::Look(postgres::Connection& connection, absl::Duration now) {
  if (settled()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(3), kLockedNumbers));
  std::vector<Running> running;
  for (int row = 0; row < result.rows(); ++row) {
    Running one;
    if (!absl::SimpleAtoi(result.Get(row, 0), &one.xid)) continue;
    if (!result.is_null(row, 1)) one.waits = result.Get(row, 1) == "t";
    one.has_standby = result.Get(row, 2) == "t";
    running.push_back(one);
  }
  Take(running, now);
  return absl::OkStatus();
}

void HeldCommits::Take(const std::vector<Running>& running, absl::Duration now) {
  if (!std::exchange(looked_, true)) {
    for (const Running& one : running) held_.push_back({.xid = one.xid, .waited = now});
  }
  std::erase_if(held_, [&](Held& held) {
    const auto found = std::find_if(running.begin(), running.end(),
                                    [&](const Running& one) { return one.xid == held.xid; });
    if (found == running.end()) return true;
    held.unknown = !found->waits.has_value();
    if (found->waits.value_or(found->has_standby)) held.waited = now;
    return now - held.waited >= kMoment;
  });
}

HeldTransactions HeldCommits::held() const {
  HeldTransactions all;
  for (const Held& one : held_) {
    all.xids.push_back(one.xid);
    all.unknown = all.unknown || one.unknown;
  }
  return all;
}

}  // namespace walduct::incremental
