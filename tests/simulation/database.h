// Database: the history of a simulated PostgreSQL: a few tables, transactions that overlap, the
// place of each in the WAL. What it has committed by now a Stream may send; what the slot was told
// it never sends again.
//
// Where the real one is awkward this one is, too: rows of a COPY share an LSN, a BEGIN shares the
// LSN of its first row, a transaction may begin before others end, and its first record may lie
// where the last commit ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/lsn.h"
#include "tests/simulation/random.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::simulation {

inline constexpr size_t kTables = 2;
inline constexpr size_t kKeys = 6;  // of each table

enum class Verb : uint8_t { kInsert, kUpdate, kDelete };

// One row that was changed.
struct Change {
  Verb verb = Verb::kInsert;
  size_t table = 0;
  size_t key = 0;
  uint64_t lsn = 0;
  size_t transaction = 0;  // in commit order
  uint64_t ordinal = 0;    // in its transaction, from 1
};

struct Transaction {
  uint32_t xid = 0;
  uint64_t final_lsn = 0;  // its commit record
  uint64_t end_lsn = 0;
  absl::Duration committed;     // simulated time
  std::vector<Change> changes;  // in the order of the WAL; at least one
};

class Database {
 public:
  // Writes the whole history at once, for the time from begin on.
  Database(Random* random, size_t transactions, absl::Duration begin);

  // In the order of their commits.
  const std::vector<Transaction>& transactions() const { return transactions_; }
  absl::Duration end() const { return transactions_.back().committed; }

  // Before anything was written.
  static constexpr uint64_t kSlotCreated = 0x1000;
  uint64_t confirmed_flush = kSlotCreated;

  static std::string TableName(size_t table) { return table == 0 ? "orders" : "items"; }
  static test::RelationSpec Relation(size_t table);
  // As the walsender sends it.
  static std::string Message(const Change& change);
  static int64_t CommitTimeUs(const Transaction& transaction);

 private:
  struct Open;
  void Write(Random* random, Open* open);
  void Commit(Random* random, Open* open);

  std::vector<Transaction> transactions_;
  uint64_t wal_ = kSlotCreated;
  absl::Duration now_;
  uint32_t last_xid_ = 700;
  bool exists_[kTables][kKeys] = {};
  bool locked_[kTables][kKeys] = {};
};

}  // namespace walduct::simulation
