#include "replication/sender_timeout.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "base/status_macros.h"
#include "postgres/sender_timeout.h"

namespace walduct::replication {

absl::StatusOr<absl::Duration> ReadSenderTimeout(postgres::Connection& sql) {
  // Not of pg_settings, which goes through all of them.
  ASSIGN_OR_RETURN(
      const auto answer,
      sql.Query(postgres::Rows(1),
                "SELECT (1000 * pg_catalog.date_part('epoch', pg_catalog.current_setting("
                "'wal_sender_timeout')::pg_catalog.interval))::pg_catalog.int8"));
  int64_t timeout_ms = 0;
  const bool known = answer.rows() == 1 && absl::SimpleAtoi(answer.Get(0, 0), &timeout_ms);
  const absl::Duration of_server = absl::Milliseconds(known ? timeout_ms : 0);
  const absl::Duration asked = postgres::AskedSenderTimeout();
  if (asked == absl::ZeroDuration()) return of_server;
  return of_server == absl::ZeroDuration() ? asked : std::min(asked, of_server);
}

absl::Duration StatusInterval(absl::Duration sender_timeout, absl::Duration configured) {
  return sender_timeout > absl::ZeroDuration() ? std::min(configured, sender_timeout / 3)
                                               : configured;
}

}  // namespace walduct::replication
