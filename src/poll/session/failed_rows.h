// FailedRows: what becomes of rows that cannot be published: their attempts are counted in the
// table, the next one waits, and after the last one the row is parked. Lives as long as the
// connector: where the table has no column for when the next attempt is due, it is known here.
// Data thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "poll/layouts/outbox_table.h"
#include "postgres/connection.h"

namespace walduct::outbox {
struct OutboxOptions;
}  // namespace walduct::outbox

namespace walduct::poll {

struct FailedRow {
  std::vector<std::string> key;  // of the primary key
  int64_t attempts = 0;          // before this one
  absl::Status why;
};

// Of a row of a claim.
std::vector<std::string> KeyOf(const postgres::Result& rows, int row, const OutboxTable& table);
// What the row of a claim says of them in that column; 0 where that is nothing.
int64_t AttemptsOf(const postgres::Result& rows, int row, int column);

class FailedRows {
 public:
  // Whether that error is of the row alone, so that others are published meanwhile. What a server
  // lacks, or does not allow, is not.
  static bool IsOfRow(const absl::Status& why);

  // The statement that notes them. Answers how many it has changed, and how many of these are
  // parked now. chance: from 0 to 1.
  static postgres::Statement Note(const OutboxTable& table, const outbox::OutboxOptions& options,
                                  const std::vector<FailedRow>& rows, double chance);
  static absl::Duration Backoff(const outbox::OutboxOptions& options, int64_t attempts,
                                double chance);

  // Rows that somebody has locked, as far as there is room: the same, for another reason.
  void Pass(const OutboxTable& table, const std::vector<std::vector<std::string>>& keys,
            absl::Duration until);
  // Of a table that cannot say it.
  void Add(const OutboxTable& table, const FailedRow& row, absl::Duration until);
  // Those of the table that wait, as arrays of the columns of its primary key; empty: none does.
  // Forgets those whose time is over, be they there or not.
  std::vector<std::vector<std::string>> Waiting(const OutboxTable& table, absl::Duration now);
  bool empty() const { return waits_.empty(); }

 private:
  struct Wait {
    std::vector<std::string> key;
    absl::Duration until;
  };
  absl::flat_hash_map<std::string, absl::flat_hash_map<std::string, Wait>> waits_;  // by tables
};

}  // namespace walduct::poll
