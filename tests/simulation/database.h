// Database: the history of a simulated PostgreSQL: a few tables, transactions that overlap, the
// place of each in the WAL. A failover replaces it by a history that left it at some place.
//
// Where the real one is awkward this one is, too: rows of a COPY share an LSN, a BEGIN shares the
// LSN of its first row, a transaction may begin before others end, its first record may lie where
// the last commit ends, a row may change its key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/lsn.h"
#include "incremental/chunks/held_commits.h"
#include "replication/timeline.h"
#include "tests/simulation/random.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::simulation {

inline constexpr size_t kTables = 2;
inline constexpr size_t kKeys = 6;  // of each table

enum class Verb : uint8_t { kInsert, kUpdate, kMove, kDelete };

// One row that was changed.
struct Change {
  Verb verb = Verb::kInsert;
  size_t table = 0;
  size_t key = 0;
  size_t from = 0;  // the key it had, kMove
  uint64_t lsn = 0;
  size_t transaction = 0;  // serial
  uint64_t ordinal = 0;    // in its transaction, from 1
};

// A row of the signaling table.
struct Signal {
  std::string id, type = {}, data = {};
  bool deletes = false;  // it is taken away again
};

struct Transaction {
  size_t serial = 0;  // over all histories
  uint32_t xid = 0;
  uint64_t final_lsn = 0;  // its commit record
  uint64_t end_lsn = 0;
  absl::Duration committed;     // simulated time
  absl::Duration visible;       // to other sessions; not before it was committed
  std::vector<Change> changes;  // in the order of the WAL; at least one, or
  std::optional<Signal> signal = {};
};

class Database {
 public:
  // Writes a whole history at once, for the time from begin on.
  // late: dice of how late commits are visible, and there is room for signals; 0: neither.
  Database(Random* random, size_t transactions, absl::Duration begin, uint64_t late);

  // In the order of their commits.
  const std::vector<Transaction>& transactions() const { return transactions_; }
  absl::Duration end() const { return transactions_.back().committed; }
  // What is written by then.
  Lsn WalEnd(absl::Duration now) const;
  uint64_t NextXid(absl::Duration now) const;

  // Committed now; where it ends.
  Lsn WriteSignal(Signal signal, absl::Duration now);
  // What a session sees, and which transactions it would find to be running.
  incremental::TransactionView ViewAt(absl::Duration now) const;
  std::vector<std::optional<Change>> RowsShown(absl::Duration now, size_t table) const;
  std::vector<incremental::HeldCommits::Running> RunningAt(absl::Duration now) const;

  // A standby takes over that has seen the first `kept` transactions: from now on the others have
  // never been. Where the histories part.
  Lsn FailOver(Random* random, size_t kept, size_t transactions, absl::Duration now);
  uint32_t timeline() const { return static_cast<uint32_t>(timelines_.size()) + 1; }
  const replication::TimelineHistory& timelines() const { return timelines_; }

  static constexpr uint64_t kBegin = 0x1000;

  static std::string TableName(size_t table) { return table == 0 ? "orders" : "items"; }
  static test::RelationSpec Relation(size_t table);  // kTables: of signals
  // As the walsender sends it.
  static std::string Message(const Change& change);
  static std::string Message(const Signal& signal);
  static std::string Value(const Change& change);
  static int64_t CommitTimeUs(const Transaction& transaction);

 private:
  struct Open;
  void WriteHistory(Random* random, size_t transactions);
  void Write(Random* random, Open* open);
  void WriteRow(Random* random, Open* open, uint64_t lsn, bool* written);
  void Commit(Random* random, Open* open);
  void ShowLate(Transaction* transaction);

  std::vector<Transaction> transactions_;
  replication::TimelineHistory timelines_;
  uint64_t wal_ = kBegin;
  std::optional<Random> late_;
  absl::Duration now_, pace_;
  uint32_t last_xid_ = 700;
  size_t last_serial_ = 0;
  bool exists_[kTables][kKeys] = {};
  bool locked_[kTables][kKeys] = {};
};

}  // namespace walduct::simulation
