#include "replication/upgrade_traces.h"

#include "absl/strings/numbers.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::replication {
namespace {

// A definition that VACUUM has frozen goes on showing who wrote it. From 16384 on OIDs are not
// initdb's.
constexpr absl::string_view kTraces = R"(
SELECT (SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'wal_segment_size'),
       (SELECT c.xmin FROM pg_catalog.pg_class c
        WHERE c.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid
        ORDER BY pg_catalog.age(c.xmin) DESC LIMIT 1))";

}  // namespace

absl::StatusOr<UpgradeTraces> ReadUpgradeTraces(postgres::Connection& sql) {
  UpgradeTraces traces{.server_version = sql.server_version()};
  ASSIGN_OR_RETURN(const postgres::Result result, sql.Query(postgres::OneRow(2), kTraces));
  if (!absl::SimpleAtoi(result.Get(0, 0), &traces.wal_segment_bytes))
    traces.wal_segment_bytes = 0;  // older servers count in blocks, and no slots outlive pg_upgrade
  uint32_t oldest = 0;
  if (absl::SimpleAtoi(result.Get(0, 1), &oldest)) traces.oldest_definition = oldest;
  return traces;
}

}  // namespace walduct::replication
