#include "tests/simulation/database.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/simulated_time.h"

namespace walduct::simulation {
namespace {

constexpr size_t kMostOpen = 3;
constexpr size_t kMostChanges = 12;

}  // namespace

// A transaction that has not committed.
struct Database::Open {
  Transaction transaction;
  size_t left = 0;  // changes to come
};

Database::Database(Random* random, size_t transactions, absl::Duration begin) : now_(begin) {
  std::vector<Open> open;
  while (transactions_.size() < transactions) {
    now_ += random->UpTo(absl::Seconds(2));
    if (open.empty() || (open.size() < kMostOpen && random->OneIn(3))) {
      open.emplace_back();
      open.back().transaction.xid = ++last_xid_;
      open.back().left = random->Between(1, random->OneIn(5) ? kMostChanges : 3);
    }
    const size_t chosen = random->Below(open.size());
    if (open[chosen].left > 0) Write(random, &open[chosen]);
    if (open[chosen].left > 0 || open[chosen].transaction.changes.empty()) continue;
    Commit(random, &open[chosen]);
    open.erase(open.begin() + static_cast<ptrdiff_t>(chosen));
  }
}

// One statement: a row, or several of a COPY, which share their LSN. A row that another transaction
// has changed is left alone, as its lock would have it.
void Database::Write(Random* random, Open* open) {
  Transaction& transaction = open->transaction;
  const size_t rows = random->OneIn(4) ? random->Between(1, 4) : 1;
  const uint64_t lsn = wal_;
  bool written = false;
  for (size_t i = 0; i < rows && open->left > 0; ++i) {
    --open->left;
    const size_t table = random->Below(kTables), key = random->Below(kKeys);
    bool own = false, here = false;
    for (const Change& change : transaction.changes) {
      own = own || (change.table == table && change.key == key);
      here = here || (change.lsn == lsn && change.table == table && change.key == key);
    }
    if (here || (locked_[table][key] && !own)) continue;
    locked_[table][key] = true;
    bool& exists = exists_[table][key];
    Verb verb = Verb::kInsert;
    if (exists) verb = random->OneIn(3) ? Verb::kDelete : Verb::kUpdate;
    exists = verb != Verb::kDelete;
    transaction.changes.push_back({.verb = verb,
                                   .table = table,
                                   .key = key,
                                   .lsn = lsn,
                                   .ordinal = transaction.changes.size() + 1});
    written = true;
  }
  if (written) wal_ += 8 * random->Between(1, 20);
  // A transaction that wrote nothing has no commit record that anybody hears of.
  if (transaction.changes.empty()) open->left = 1;
}

void Database::Commit(Random* random, Open* open) {
  Transaction& transaction = open->transaction;
  if (random->OneIn(2)) wal_ += 8 * random->Below(30);  // of others that nobody publishes
  transaction.final_lsn = wal_;
  wal_ += 48;
  transaction.end_lsn = wal_;
  transaction.committed = now_;
  for (Change& change : transaction.changes) {
    change.transaction = transactions_.size();
    locked_[change.table][change.key] = false;
  }
  transactions_.push_back(std::move(transaction));
}

test::RelationSpec Database::Relation(size_t table) {
  return {.oid = 16384 + static_cast<uint32_t>(table),
          .schema = "public",
          .table = TableName(table),
          .identity = 'd',
          .columns = {{"id", 23, true}, {"v", 25, false}}};
}

std::string Database::Message(const Change& change) {
  const uint32_t oid = Relation(change.table).oid;
  const test::Cell key = test::Text(absl::StrCat(change.key));
  const test::Cells row = {key,
                           test::Text(absl::StrCat("t", change.transaction, "c", change.ordinal))};
  switch (change.verb) {
    case Verb::kInsert:
      return test::InsertBytes(oid, row);
    case Verb::kUpdate:
      return test::UpdateBytes(oid, row);
    case Verb::kDelete:
      return test::DeleteBytes(oid, {'K', {key, test::Null()}});
  }
  return "";
}

int64_t Database::CommitTimeUs(const Transaction& transaction) {
  return absl::ToUnixMicros(test::SimulatedTime::Epoch() + transaction.committed);
}

}  // namespace walduct::simulation
