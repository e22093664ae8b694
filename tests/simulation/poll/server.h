// Server: the simulated PostgreSQL with an outbox table and the application that writes to it.
// Transactions take their number and their rows' ids long before they end, in any order; writers of
// one key wait for one another, unless the seed says otherwise. What is committed is visible at
// once, and flushed then or later: a restart takes back what was not, and its numbers and ids are
// given again.
//
// What sessions ask is in statements.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/lsn.h"

namespace walduct::poll_simulation {

struct World;
class Statements;

struct Row {
  enum class Life : uint8_t {
    kRunning,  // its transaction is
    kThere,
    kRemoved,  // deleted or moved, as published
    kGone,     // rolled back, or lost with a restart
  };
  enum class Refused : uint8_t { kNever, kBySink, kByTarget };

  size_t serial = 0;  // its own for good, and its payload
  size_t key = 0;
  int64_t id = 0;
  uint64_t xact = 0;
  Life life = Life::kRunning;
  uint64_t committed = 0;  // in the order of commits

  std::string status = "NEW";
  std::optional<int64_t> published_at = {}, next_try_at = {};  // microseconds
  int64_t attempts = 0;

  Refused refused = Refused::kNever;
  size_t refusals = 0;               // so many until it is taken
  absl::Duration locked_until = {};  // by the application
  bool was_parked = false;           // once

  bool is_locked(absl::Duration now) const { return now < locked_until; }
};

class Server {
 public:
  explicit Server(World* world);
  ~Server();
  // The application's transactions begin within the time.
  void Begin(absl::Duration within);
  // All of them have ended.
  bool quiet() const { return open_ == 0; }

  const std::vector<Row>& rows() const { return rows_; }
  Row& row(size_t serial) { return rows_[serial]; }
  Statements& statements() { return *statements_; }

  // Microseconds. It is set now and then.
  int64_t Now() const;
  void SetClock();
  bool down() const;
  // Sessions end, transactions are rolled back, what was not flushed is gone.
  void Restart();
  // The application has it locked for a while.
  void LockOne();
  // What could not be published can be from now on.
  void Mend();
  // As walduct outbox retry does, of all.
  void RetryParked();

  // As pg_current_snapshot prints it.
  std::string Snapshot() const;
  Lsn written() const { return Lsn(wal_); }
  Lsn flushed() const { return Lsn(flushed_); }
  // Of a transaction that changes rows and is undone by a restart that takes it back. Those of the
  // application end by it, too.
  void Commit(uint64_t xid, std::function<void()> undo);
  uint64_t NewXid();
  // Numbers of transactions that have not ended.
  const std::set<uint64_t>& running() const { return running_; }
  // The end of a transaction with a number makes the server write what it has.
  void HastenFlush();

 private:
  struct Transaction {
    uint64_t xid = 0;
    uint64_t epoch = 0;
    std::set<size_t> keys;
    std::vector<size_t> rows;
    size_t wanted = 0;
    bool locks = false;
  };
  using TransactionPtr = std::shared_ptr<Transaction>;
  void StartOne();
  void InsertNext(const TransactionPtr& transaction);
  void Insert(Transaction* transaction);
  void End(const TransactionPtr& transaction);
  void Unlock(Transaction* transaction);
  void FlushLater(absl::Duration within);

  World& world_;
  std::unique_ptr<Statements> statements_;
  std::vector<Row> rows_;
  size_t open_ = 0;
  uint64_t epoch_ = 0;  // restarts
  absl::Duration down_until_, clock_offset_;
  std::set<size_t> locked_keys_;
  std::vector<TransactionPtr> transactions_;

  uint64_t next_xid_ = 750;
  std::set<uint64_t> running_;
  int64_t sequence_ = 0;
  uint64_t wal_ = 1000, flushed_ = 1000, commits_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> numbered_;           // LSN, number
  std::vector<std::pair<uint64_t, std::function<void()>>> undo_;  // by LSN
};

// Whether what the transaction wrote is visible in it.
bool IsVisible(const std::string& snapshot, uint64_t xid);

}  // namespace walduct::poll_simulation
