#include "tests/simulation/database.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "tests/support/simulated_time.h"

namespace walduct::simulation {
namespace {

constexpr size_t kMostOpen = 3;
constexpr size_t kMostChanges = 12;
constexpr uint64_t kRoomForSignals = 1 << 18;  // behind each commit
constexpr uint64_t kSignalSize = 48;

bool Touches(const Change& a, const Change& b) {
  const auto has = [](const Change& of, size_t key) {
    return of.key == key || (of.verb == Verb::kMove && of.from == key);
  };
  return a.table == b.table && (has(a, b.key) || (b.verb == Verb::kMove && has(a, b.from)));
}

}  // namespace

// A transaction that has not committed.
struct Database::Open {
  Transaction transaction;
  size_t left = 0;  // changes to come
};

Database::Database(Random* random, size_t transactions, absl::Duration begin, uint64_t late)
    : now_(begin), pace_(absl::Seconds(random->OneIn(2) ? 2 : 10)) {
  if (late != 0) late_.emplace(late);
  WriteHistory(random, transactions);
}

void Database::WriteHistory(Random* random, size_t transactions) {
  std::vector<Open> open;
  if (late_) wal_ += kRoomForSignals;
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
  if (late_) wal_ += kRoomForSignals;
  transaction.committed = transaction.visible = now_;
  if (late_) ShowLate(&transaction);
  for (const Change& change : transaction.changes) {
    locked_[change.table][change.key] = false;
    if (change.verb == Verb::kMove) locked_[change.table][change.from] = false;
  }
  transactions_.push_back(std::move(transaction));
}

// Whoever changes a row has seen who changed it before.
void Database::ShowLate(Transaction* transaction) {
  transaction->visible += late_->UpTo(late_->OneIn(6) ? absl::Seconds(20) : absl::Milliseconds(50));
  for (Transaction& before : transactions_) {
    if (before.visible <= now_) continue;
    const bool touches =
        std::any_of(before.changes.begin(), before.changes.end(), [&](const Change& one) {
          return std::any_of(transaction->changes.begin(), transaction->changes.end(),
                             [&](const Change& other) { return Touches(one, other); });
        });
    if (touches) before.visible = now_;
  }
}

Lsn Database::WriteSignal(Signal signal, absl::Duration now) {
  const auto at =
      std::find_if(transactions_.begin(), transactions_.end(),
                   [now](const Transaction& transaction) { return transaction.committed > now; });
  uint64_t from = timelines_.empty() ? kBegin : timelines_.back().end.value();
  if (at != transactions_.begin()) from = std::max(from, std::prev(at)->end_lsn);
  Transaction transaction{.serial = ++last_serial_,
                          .xid = static_cast<uint32_t>(NextXid(now) - 1),
                          .final_lsn = from + kSignalSize / 3,
                          .end_lsn = from + kSignalSize,
                          .committed = now,
                          .visible = now,
                          .changes = {},
                          .signal = std::move(signal)};
  CHECK(at == transactions_.end() || transaction.end_lsn < at->final_lsn);
  wal_ = std::max(wal_, transaction.end_lsn);
  const Lsn end(transaction.end_lsn);
  transactions_.insert(at, std::move(transaction));
  return end;
}

incremental::TransactionView Database::ViewAt(absl::Duration now) const {
  incremental::TransactionView view;
  view.next_xid = 701;
  for (const Transaction& one : transactions_) {
    if (one.visible <= now) view.next_xid = std::max<uint64_t>(view.next_xid, one.xid + 1);
  }
  for (const Transaction& one : transactions_) {
    if (one.visible > now && one.xid < view.next_xid) view.running.push_back(one.xid);
  }
  return view;
}

std::vector<incremental::HeldCommits::Running> Database::RunningAt(absl::Duration now) const {
  std::vector<incremental::HeldCommits::Running> running;
  const uint64_t next = NextXid(now);
  for (const Transaction& one : transactions_) {
    if (one.visible > now && one.xid < next)
      running.push_back({.xid = one.xid, .waits = one.committed <= now});
  }
  return running;
}

std::vector<std::optional<Change>> Database::RowsShown(absl::Duration now, size_t table) const {
  std::vector<std::optional<Change>> rows(kKeys);
  for (const Transaction& transaction : transactions_) {
    if (transaction.visible > now) continue;
    for (const Change& change : transaction.changes) {
      if (change.table != table) continue;
      if (change.verb == Verb::kMove) rows[change.from].reset();
      rows[change.key] = change.verb == Verb::kDelete ? std::nullopt : std::optional(change);
    }
  }
  return rows;
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
  for (Transaction& transaction : transactions_)
    transaction.visible = std::min(transaction.visible, now);
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
  if (table == kTables) {
    return {.oid = 16384 + static_cast<uint32_t>(table),
            .schema = "public",
            .table = "signals",
            .identity = 'd',
            .columns = {{"id", 25, true}, {"type", 25, false}, {"data", 25, false}}};
  }
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

std::string Database::Message(const Signal& signal) {
  const uint32_t oid = Relation(kTables).oid;
  const test::Cell id = test::Text(signal.id);
  if (signal.deletes) return test::DeleteBytes(oid, {'K', {id, test::Null(), test::Null()}});
  return test::InsertBytes(oid, {id, test::Text(signal.type), test::Text(signal.data)});
}

int64_t Database::CommitTimeUs(const Transaction& transaction) {
  return absl::ToUnixMicros(test::SimulatedTime::Epoch() + transaction.committed);
}

}  // namespace walduct::simulation
