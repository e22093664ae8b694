#include "tests/simulation/poll/server.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "tests/simulation/poll/statements.h"
#include "tests/simulation/poll/world.h"

namespace walduct::poll_simulation {
namespace {

constexpr absl::Duration kWriterWaits = absl::Milliseconds(7);
constexpr size_t kNeverMended = 1000;

}  // namespace

Server::Server(World* world) : world_(*world), statements_(std::make_unique<Statements>(world)) {}
Server::~Server() = default;

void Server::Begin(absl::Duration within) {
  for (size_t left = world_.random.Between(5, 30); left > 0; --left) {
    ++open_;
    world_.time.After(world_.random.UpTo(within), [this] { StartOne(); });
  }
}

int64_t Server::Now() const { return absl::ToUnixMicros(world_.time.Now() + clock_offset_); }
void Server::SetClock() { clock_offset_ = world_.random.UpTo(absl::Minutes(2)) - absl::Minutes(1); }
bool Server::down() const { return world_.time.Monotonic() < down_until_; }

uint64_t Server::NewXid() {
  const uint64_t xid = next_xid_++;
  running_.insert(xid);
  numbered_.emplace_back(++wal_, xid);
  return xid;
}

std::string Server::Snapshot() const {
  const uint64_t least = running_.empty() ? next_xid_ : *running_.begin();
  switch (world_.defect) {
    case Defect::kCoverRunning:
      return absl::StrCat(next_xid_, ":", next_xid_, ":");
    case Defect::kBehindXmin:
      return absl::StrCat(least, ":", least, ":");
    default:
      return absl::StrCat(least, ":", next_xid_, ":", absl::StrJoin(running_, ","));
  }
}

bool IsVisible(const std::string& snapshot, uint64_t xid) {
  const std::vector<absl::string_view> parts = absl::StrSplit(snapshot, ':');
  uint64_t least = 0, end = 0;
  CHECK(parts.size() == 3 && absl::SimpleAtoi(parts[0], &least) &&
        absl::SimpleAtoi(parts[1], &end));
  if (xid >= end) return false;
  if (xid < least) return true;
  for (const absl::string_view running : absl::StrSplit(parts[2], ',', absl::SkipEmpty()))
    if (running == absl::StrCat(xid)) return false;
  return true;
}

void Server::Commit(uint64_t xid, std::function<void()> undo) {
  undo_.emplace_back(++wal_, std::move(undo));
  running_.erase(xid);
  if (!world_.policy.async) {
    flushed_ = wal_;
  } else {
    FlushLater(absl::Milliseconds(600));
  }
}

void Server::FlushLater(absl::Duration within) {
  const auto flush = [this, to = wal_, epoch = epoch_] {
    if (epoch == epoch_) flushed_ = std::max(flushed_, to);
  };
  world_.time.After(world_.random.UpTo(within), flush);
}

void Server::HastenFlush() {
  const uint64_t xid = NewXid();
  ++wal_;
  running_.erase(xid);
  FlushLater(absl::Milliseconds(200));
}

void Server::StartOne() {
  if (down()) {
    world_.time.After(absl::Seconds(1), [this] { StartOne(); });
    return;
  }
  Random& random = world_.random;
  auto transaction = std::make_shared<Transaction>();
  transaction->epoch = epoch_;
  // Numbers are taken at the first write, wherever that is.
  if (random.OneIn(3)) transaction->xid = NewXid();
  transaction->wanted = random.OneIn(8) ? 0 : random.Between(1, 4);
  for (size_t i = random.Between(1, 2); i > 0; --i)
    transaction->keys.insert(random.Below(world_.policy.keys));
  transactions_.push_back(transaction);
  InsertNext(transaction);
}

// Each a while after the last one.
void Server::InsertNext(const TransactionPtr& transaction) {
  const bool ends = transaction->rows.size() == transaction->wanted;
  const absl::Duration most = world_.random.OneIn(6) ? absl::Seconds(4) : absl::Milliseconds(200);
  world_.time.After(world_.random.UpTo(most), [this, transaction, ends] {
    if (transaction->epoch != epoch_) return;
    if (ends) return End(transaction);
    const auto is_locked = [this](size_t key) { return locked_keys_.contains(key); };
    if (!transaction->locks && !world_.policy.free_writers) {
      if (std::any_of(transaction->keys.begin(), transaction->keys.end(), is_locked)) {
        world_.time.After(kWriterWaits, [this, transaction] { InsertNext(transaction); });
        return;
      }
      transaction->locks = true;
      locked_keys_.insert(transaction->keys.begin(), transaction->keys.end());
    }
    Insert(transaction.get());
    InsertNext(transaction);
  });
}

void Server::Insert(Transaction* transaction) {
  Random& random = world_.random;
  if (transaction->xid == 0) transaction->xid = NewXid();
  Row row{.serial = rows_.size(),
          .key = *std::next(transaction->keys.begin(),
                            static_cast<ptrdiff_t>(random.Below(transaction->keys.size()))),
          .id = ++sequence_,
          .xact = transaction->xid};
  ++wal_;
  if (world_.policy.attempts && random.OneIn(6)) {
    row.refused = random.OneIn(2) ? Row::Refused::kBySink : Row::Refused::kByTarget;
    row.refusals = random.OneIn(2) ? kNeverMended : random.Between(1, 3);
  }
  transaction->rows.push_back(row.serial);
  rows_.push_back(std::move(row));
}

void Server::Unlock(Transaction* transaction) {
  --open_;
  if (!transaction->locks) return;
  for (const size_t key : transaction->keys) locked_keys_.erase(key);
}

void Server::End(const TransactionPtr& transaction) {
  Unlock(transaction.get());
  std::erase(transactions_, transaction);
  if (world_.random.OneIn(6)) {
    for (const size_t serial : transaction->rows) rows_[serial].life = Row::Life::kGone;
    if (transaction->xid != 0) ++wal_;
    running_.erase(transaction->xid);
    return;
  }
  for (const size_t serial : transaction->rows) {
    Row& row = rows_[serial];
    row.life = Row::Life::kThere;
    row.committed = ++commits_;
    world_.Note("commit ", row.xact, ": row ", serial, ", id ", row.id, ", key ", row.key,
                row.refusals > 0 ? ", to be refused" : "");
  }
  if (transaction->xid == 0) return;
  Commit(transaction->xid, [this, rows = transaction->rows] {
    for (const size_t serial : rows) {
      rows_[serial].life = Row::Life::kGone;
      world_.ledger.OnLost(rows_[serial]);
    }
  });
  if (!transaction->rows.empty()) statements_->Notify();
}

void Server::Restart() {
  ++epoch_;
  for (const TransactionPtr& transaction : transactions_) {
    for (const size_t serial : transaction->rows) rows_[serial].life = Row::Life::kGone;
    Unlock(transaction.get());
  }
  transactions_.clear();
  running_.clear();
  down_until_ = world_.time.Monotonic() + kTakeover + world_.random.UpTo(absl::Seconds(2));
  statements_->EndAll();
  size_t lost = 0;
  for (; !undo_.empty() && undo_.back().first > flushed_; undo_.pop_back(), ++lost)
    undo_.back().second();
  while (!numbered_.empty() && numbered_.back().first > flushed_) numbered_.pop_back();
  wal_ = flushed_;
  next_xid_ = numbered_.empty() ? 750 : numbered_.back().second + 1;
  sequence_ = 0;
  for (Row& row : rows_) {
    row.locked_until = absl::ZeroDuration();
    if (row.life != Row::Life::kGone) sequence_ = std::max(sequence_, row.id);
  }
  if (world_.random.OneIn(2)) sequence_ += 32;
  world_.Note("the server restarts: ", lost, " commits lost, next number ", next_xid_, ", next id ",
              sequence_ + 1);
  world_.ledger.OnIncident();
}

void Server::LockOne() {
  std::vector<size_t> there;
  for (const Row& row : rows_)
    if (row.life == Row::Life::kThere && !row.published_at && row.status == "NEW")
      there.push_back(row.serial);
  if (there.empty()) return;
  Row& row = rows_[there[world_.random.Below(there.size())]];
  row.locked_until = world_.time.Monotonic() + world_.random.UpTo(absl::Seconds(4));
  world_.Note("row ", row.serial, " is locked by the application");
}

void Server::Mend() {
  for (Row& row : rows_) {
    row.locked_until = absl::ZeroDuration();
    if (world_.policy.mends) row.refusals = 0;
  }
}

void Server::RetryParked() {
  for (Row& row : rows_) {
    if (row.life != Row::Life::kThere || row.attempts < world_.policy.max_attempts ||
        row.refusals > 0)
      continue;
    row.attempts = 0;
    row.next_try_at.reset();
  }
}

}  // namespace walduct::poll_simulation
