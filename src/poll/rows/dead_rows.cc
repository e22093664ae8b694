#include "poll/rows/dead_rows.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/error.h"
#include "metrics/outbox_server_board.h"
#include "postgres/connection.h"

namespace walduct::poll {
namespace {

// Of the server's statistics: nothing is counted here. A partitioned table has none of its own.
// What holds a vacuum of these tables up: a transaction of this database, a standby's feedback, a
// slot that has it. A VACUUM does not, and logical decoding holds catalogs alone.
constexpr absl::string_view kDead = R"(
SELECT (SELECT coalesce(sum(coalesce(
          (SELECT sum(pg_catalog.pg_stat_get_dead_tuples(p.relid)) FROM pg_catalog.pg_partition_tree(t.relation) p),
          pg_catalog.pg_stat_get_dead_tuples(t.relation))), 0)::bigint
        FROM unnest('{{tables}}'::pg_catalog.oid[]) t(relation)),
       h.kind, h.name, h.application, h.role, h.snapshot::text, h.seconds, h.state
FROM (VALUES (1)) one LEFT JOIN (
  SELECT held.* FROM (
    SELECT CASE a.backend_type WHEN 'walsender' THEN 'standby' ELSE 'session' END AS kind, a.pid::text AS name,
           a.application_name AS application, a.usename::text AS role,
           (SELECT x FROM unnest(ARRAY[a.backend_xmin, a.backend_xid]) x WHERE x IS NOT NULL ORDER BY pg_catalog.age(x) DESC LIMIT 1) AS snapshot,
           extract(epoch FROM pg_catalog.clock_timestamp() - a.xact_start)::bigint AS seconds, a.state
    FROM pg_catalog.pg_stat_activity a
    WHERE a.pid <> pg_catalog.pg_backend_pid() AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
      AND CASE WHEN a.backend_type = 'walsender' THEN a.datid IS NULL ELSE a.datname = pg_catalog.current_database() END
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_progress_vacuum v WHERE v.pid = a.pid)
    UNION ALL
    SELECT 'prepared', p.gid, NULL, p.owner::text, p.transaction,
           extract(epoch FROM pg_catalog.clock_timestamp() - p.prepared)::bigint, NULL
    FROM pg_catalog.pg_prepared_xacts p WHERE p.database = pg_catalog.current_database()
    UNION ALL
    SELECT 'slot', s.slot_name::text, NULL, NULL, s.xmin, NULL, NULL FROM pg_catalog.pg_replication_slots s
  ) held WHERE held.snapshot IS NOT NULL ORDER BY pg_catalog.age(held.snapshot) DESC, held.seconds DESC NULLS LAST LIMIT 1
) h ON true)";

enum DeadColumn { kDeadCount, kKind, kName, kApplication, kRole, kSnapshot, kSeconds, kState };

}  // namespace

std::string DeadRowsSql(absl::Span<const OutboxTable> tables) {
  const std::string relations =
      absl::StrJoin(tables, ",", [](std::string* out, const OutboxTable& table) {
        absl::StrAppend(out, ToInteger(table.relation));
      });
  return absl::StrReplaceAll(kDead, {{"{{tables}}", absl::StrCat("{", relations, "}")}});
}

DeadRows ReadDeadRows(const postgres::Result& answer) {
  DeadRows dead{.rows = NumberAt(answer, kDeadCount)};
  if (answer.is_null(0, kKind)) return dead;
  const std::string name(answer.Get(0, kName));
  const std::string role = absl::StrCat("role ", answer.Get(0, kRole));
  const std::string application(answer.Get(0, kApplication));
  if (answer.Get(0, kKind) == "prepared") {
    dead.holder = absl::StrCat("prepared transaction ", name, " (", role, ")");
    const std::string gid = postgres::QuoteLiteral(name);
    dead.release = absl::StrCat("COMMIT PREPARED ", gid, ", or ROLLBACK PREPARED ", gid);
  } else if (answer.Get(0, kKind) == "slot") {
    dead.holder = absl::StrCat("replication slot ", name);
    dead.release = absl::StrCat("SELECT pg_drop_replication_slot(", postgres::QuoteLiteral(name),
                                ") where its standby is gone, else hot_standby_feedback=off there");
  } else if (answer.Get(0, kKind) == "standby") {
    dead.holder = absl::StrCat("standby ", application, " (walsender ", name, ", ", role, ")");
    dead.release = "end the long queries there, or set hot_standby_feedback=off there";
  } else {
    const std::string state(answer.Get(0, kState));
    dead.holder = absl::StrCat("session ", name, " (", application, application.empty() ? "" : ", ",
                               role, state.empty() ? "" : ", ", state, ")");
    dead.release = absl::StrCat("end its transaction, or SELECT pg_terminate_backend(", name, ")");
  }
  dead.snapshot = absl::StrCat(name, " ", answer.Get(0, kSnapshot));
  int64_t seconds = 0;
  if (!answer.is_null(0, kSeconds) && absl::SimpleAtoi(answer.Get(0, kSeconds), &seconds))
    dead.held = absl::Seconds(std::max<int64_t>(seconds, 0));
  return dead;
}

absl::Status DeadRowsWarning(const DeadRows& dead) {
  const bool brief = dead.held && *dead.held < metrics::kLongHeld;
  if (dead.rows < metrics::kManyDeadRows || dead.holder.empty() || brief) return absl::OkStatus();
  const std::string since =
      dead.held ? absl::StrCat("has kept them for ", absl::ToInt64Seconds(*dead.held), " s")
                : "keeps them, since when only a role with pg_read_all_stats is told";
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_dead_rows",
               absl::StrCat(dead.rows,
                            " rows of outbox tables are dead and not vacuumed away, and each claim "
                            "walks over them: ",
                            dead.holder, " has the oldest snapshot and ", since),
               dead.release);
}

absl::Duration HeldSince::Of(const DeadRows& dead, absl::Duration now) {
  if (dead.snapshot != snapshot_) {
    snapshot_ = dead.snapshot;
    first_seen_ = now;
  }
  if (dead.holder.empty()) return absl::ZeroDuration();
  return std::max(dead.held.value_or(absl::ZeroDuration()), now - first_seen_);
}

}  // namespace walduct::poll
