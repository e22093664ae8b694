// DeadRows: rows of outbox tables that are dead and not vacuumed away, over which each claim walks,
// and who keeps them so: whoever has the oldest snapshot of the database. Pure.
//
// Asks for no right: what needs pg_read_all_stats is left out where the role does not have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "poll/layouts/outbox_table.h"

namespace walduct::poll {

struct DeadRows {
  uint64_t rows = 0;          // as the server's statistics have them
  std::string holder = {};    // "session 4711 (psql, role app)"; empty: nobody has a snapshot
  std::string release = {};   // what ends it
  std::string snapshot = {};  // by which the same one is known again
  std::optional<absl::Duration> held = {};  // absent: the server does not say it to this role
};

// One row, as ReadDeadRows reads it. Reads no table.
std::string DeadRowsSql(absl::Span<const OutboxTable> tables);
inline constexpr int kDeadRowsColumns = 8;
DeadRows ReadDeadRows(const postgres::Result& answer);

// outbox_dead_rows: somebody keeps many of them, and has for long, or nobody may say since when.
// OK: nobody does.
absl::Status DeadRowsWarning(const DeadRows& dead);

// How long the snapshot is held, as far as anybody knows: as the server says, or as long as it has
// been seen.
class HeldSince {
 public:
  absl::Duration Of(const DeadRows& dead, absl::Duration now);

 private:
  std::string snapshot_;
  absl::Duration first_seen_;
};

}  // namespace walduct::poll
