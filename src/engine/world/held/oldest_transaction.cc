#include "engine/world/held/oldest_transaction.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "base/status_macros.h"

namespace walduct::engine {
namespace {

constexpr absl::string_view kOldestWriter = R"(
SELECT t.who, pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - t.since)
FROM (
  SELECT pg_catalog.format('pid %s (database %s, role %s, application "%s", %s)', a.pid, a.datname,
                           a.usename, a.application_name, a.state), a.xact_start
  FROM pg_catalog.pg_stat_activity a
  WHERE a.backend_xid IS NOT NULL AND a.pid <> pg_catalog.pg_backend_pid()
  UNION ALL
  SELECT pg_catalog.format('prepared transaction %L (database %s, role %s)', p.gid, p.database,
                           p.owner), p.prepared
  FROM pg_catalog.pg_prepared_xacts p
) t(who, since)
WHERE t.since IS NOT NULL
ORDER BY t.since LIMIT 1)";

}  // namespace

absl::StatusOr<std::optional<metrics::OpenTransaction>> FindOldestTransaction(
    postgres::Connection& connection) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(2), kOldestWriter));
  double seconds = 0;
  if (result.rows() == 0 || !absl::SimpleAtod(result.Get(0, 1), &seconds)) return std::nullopt;
  return metrics::OpenTransaction{.who = std::string(result.Get(0, 0)),
                                  .age = absl::Seconds(seconds)};
}

}  // namespace walduct::engine
