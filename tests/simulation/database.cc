#include "tests/simulation/database.h"

#include <algorithm>
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

Database::Database(Random* random, size_t transactions, absl::Duration begin)
    : now_(begin), pace_(absl::Seconds(random->OneIn(2) ? 2 : 10)) {
  WriteHistory(random, transactions);
}

void Database::WriteHistory(Random* random, size_t transactions) {
  std::vector<Open> open;
  for (const size_t end = transactions_.size() + transactions; transactions_.size() < end;) {
    now_ += random->UpTo(pace_);
    if (open.empty() || (open.size() < kMostOpen && random->OneIn(3))) {
      open.emplace_back();
      open.back().transaction.xid = ++last_xid_;
      open.back().transaction.serial = ++last_serial_;
      open.back().left = random->Between(1, random->OneIn(5) ? kMostChanges : 3);
    }
    const size_t chosen = random->Below(open.size());
    if (open[chosen].left > 0) Write(random, &open[chosen]);
    if (open[chosen].left > 0 || open[chosen].transaction.changes.empty()) continue;
    Commit(random, &open[chosen]);
    open.erase(open.begin() + static_cast<ptrdiff_t>(chosen));
  }
  // What never commits holds no lock any more.
  for (auto& table : locked_) std::fill(std::begin(table), std::end(table), false);
  for (const Open& left : open) {
    // Undone.
    for (auto change = left.transaction.changes.rbegin(); change != left.transaction.changes.rend();
         ++change) {
      exists_[change->table][change->key] =
          change->verb == Verb::kUpdate || change->verb == Verb::kDelete;
      if (change->verb == Verb::kMove) exists_[change->table][change->from] = true;
    }
  }
}

// One statement: a row, or several of a COPY, which share their LSN.
void Database::Write(Random* random, Open* open) {
  const size_t rows = random->OneIn(4) ? random->Between(1, 4) : 1;
  const uint64_t lsn = wal_;
  bool written = false;
  for (size_t i = 0; i < rows && open->left > 0; ++i) {
    --open->left;
    WriteRow(random, open, lsn, &written);
  }
  if (written) wal_ += 8 * random->Between(1, 20);
  // A transaction that wrote nothing has no commit record that anybody hears of.
  if (open->transaction.changes.empty()) open->left = 1;
}

// A row that another transaction has changed is left alone, as its lock would have it.
void Database::WriteRow(Random* random, Open* open, uint64_t lsn, bool* written) {
  Transaction& transaction = open->transaction;
  const size_t table = random->Below(kTables), key = random->Below(kKeys);
  const auto usable = [&](size_t of) {
    bool own = false, here = false;
    for (const Change& change : transaction.changes) {
      const bool same = change.table == table &&
                        (change.key == of || (change.verb == Verb::kMove && change.from == of));
      own = own || same;
      here = here || (same && change.lsn == lsn);
    }
    return !here && (own || !locked_[table][of]);
  };
  if (!usable(key)) return;
  Verb verb = Verb::kInsert;
  size_t from = 0;
  if (exists_[table][key]) {
    verb = random->OneIn(3) ? Verb::kDelete : Verb::kUpdate;
  } else if (random->OneIn(4)) {
    from = random->Below(kKeys);
    if (from != key && exists_[table][from] && usable(from)) verb = Verb::kMove;
  }
  exists_[table][key] = verb != Verb::kDelete;
  locked_[table][key] = true;
  if (verb == Verb::kMove) {
    exists_[table][from] = false;
    locked_[table][from] = true;
  }
  transaction.changes.push_back({.verb = verb,
                                 .table = table,
                                 .key = key,
                                 .from = from,
                                 .lsn = lsn,
                                 .transaction = transaction.serial,
                                 .ordinal = transaction.changes.size() + 1});
  *written = true;
}

void Database::Commit(Random* random, Open* open) {
  Transaction& transaction = open->transaction;
  if (random->OneIn(2)) wal_ += 8 * random->Below(30);  // of others that nobody publishes
  transaction.final_lsn = wal_;
  wal_ += 48;
  transaction.end_lsn = wal_;
  transaction.committed = now_;
  for (const Change& change : transaction.changes) {
    locked_[change.table][change.key] = false;
    if (change.verb == Verb::kMove) locked_[change.table][change.from] = false;
  }
  transactions_.push_back(std::move(transaction));
}

Lsn Database::WalEnd(absl::Duration now) const {
  Lsn end(timelines_.empty() ? kBegin : timelines_.back().end.value());
  for (const Transaction& transaction : transactions_) {
    if (transaction.committed <= now) end = std::max(end, Lsn(transaction.end_lsn));
  }
  return end;
}

uint64_t Database::NextXid(absl::Duration now) const {
  uint64_t next = 701;
  for (const Transaction& transaction : transactions_) {
    if (transaction.committed <= now) next = std::max<uint64_t>(next, transaction.xid + 1);
  }
  return next;
}

Lsn Database::FailOver(Random* random, size_t kept, size_t transactions, absl::Duration now) {
  transactions_.resize(kept);
  const Lsn fork(kept == 0 ? kBegin : transactions_.back().end_lsn);
  timelines_.push_back({.timeline = timeline(), .end = fork});
  // No place of one history is one of another.
  wal_ = fork.value() + 8 * random->Below(20) + timelines_.size() % 8;
  now_ = now;
  last_xid_ = 700;
  for (auto& table : exists_) std::fill(std::begin(table), std::end(table), false);
  for (const Transaction& transaction : transactions_) {
    last_xid_ = std::max(last_xid_, transaction.xid);
    for (const Change& change : transaction.changes) {
      exists_[change.table][change.key] = change.verb != Verb::kDelete;
      if (change.verb == Verb::kMove) exists_[change.table][change.from] = false;
    }
  }
  WriteHistory(random, transactions);
  return fork;
}

test::RelationSpec Database::Relation(size_t table) {
  return {.oid = 16384 + static_cast<uint32_t>(table),
          .schema = "public",
          .table = TableName(table),
          .identity = 'd',
          .columns = {{"id", 23, true}, {"v", 25, false}}};
}

std::string Database::Value(const Change& change) {
  return absl::StrCat("t", change.transaction, "c", change.ordinal);
}

std::string Database::Message(const Change& change) {
  const uint32_t oid = Relation(change.table).oid;
  const test::Cell key = test::Text(absl::StrCat(change.key));
  const test::Cells row = {key, test::Text(Value(change))};
  switch (change.verb) {
    case Verb::kInsert:
      return test::InsertBytes(oid, row);
    case Verb::kUpdate:
      return test::UpdateBytes(oid, row);
    case Verb::kMove:
      return test::UpdateBytes(oid, {'K', {test::Text(absl::StrCat(change.from)), test::Null()}},
                               row);
    case Verb::kDelete:
      return test::DeleteBytes(oid, {'K', {key, test::Null()}});
  }
  return "";
}

int64_t Database::CommitTimeUs(const Transaction& transaction) {
  return absl::ToUnixMicros(test::SimulatedTime::Epoch() + transaction.committed);
}

}  // namespace walduct::simulation
