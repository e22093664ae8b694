// Statements: what the sessions of workers ask of the simulated server. A statement is known by its
// text, which is that of room poll; its conditions are those of the layout. It is executed a while
// after it was sent, and answered a while later, unless its session has ended. It may be executed
// though nobody waits for it any more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "poll/layouts/outbox_table.h"
#include "postgres/connection.h"
#include "tests/simulation/poll/condition.h"

namespace walduct::poll_simulation {

struct World;
struct Row;

// One of a worker, as the server and the worker know it.
struct Session {
  int fd = -1;
  bool ended = false;   // at the server
  bool closed = false;  // by the worker
  bool listens = false, in_transaction = false;
  bool executing = false;
  uint64_t number = 0;  // of its last statement
  bool notified = false;
  absl::Status told;  // its end
  std::optional<absl::StatusOr<postgres::Result>> answer;
};
using SessionPtr = std::shared_ptr<Session>;

class Statements {
 public:
  explicit Statements(World* world);

  const poll::OutboxTable& table() const { return table_; }
  // Unavailable: the server takes none.
  absl::StatusOr<SessionPtr> Open();
  void Send(const SessionPtr& session, const postgres::Statement& statement);
  // It may have been executed.
  static void Cancel(const SessionPtr& session);
  // What is under way is executed first.
  void Close(const SessionPtr& session);
  // The worker is dead: the server finds out.
  void Abandon(const SessionPtr& session);
  // Now and then.
  void DisconnectSome();
  void EndAll();
  void Notify();

  bool IsOpen(const Row& row) const { return Is(open_, row); }
  bool IsParked(const Row& row) const { return !parked_.empty() && Is(parked_, row); }

 private:
  using Answer = absl::StatusOr<postgres::Result>;
  // Absent: it waits for a lock.
  using Handler = std::function<std::optional<Answer>(Session*, const postgres::Statement&)>;
  void Learn();
  void LearnPosition();
  void Execute(const SessionPtr& session, const postgres::Statement& statement, uint64_t number);
  std::optional<Answer> Run(Session* session, const postgres::Statement& statement);
  Answer Locks(Session* session, const std::string& sql);
  Answer Others(const std::string& sql) const;
  struct Claims {
    int64_t workers = 1, worker = 0;
    poll::ClaimForm form = {};
  };
  Answer Claim(const postgres::Statement& statement, const Claims& claims);
  Answer LowWater(const postgres::Statement& statement, int64_t workers, int64_t worker,
                  bool ranged) const;
  std::optional<Answer> MarkDone(const postgres::Statement& statement, bool range);
  std::optional<Answer> Failed(const postgres::Statement& statement);
  Answer StillOpen(const postgres::Statement& statement, bool range) const;
  Answer Backlog() const;
  Answer Now() const;
  Answer Bounds(const postgres::Statement& statement) const;
  Answer Window(const postgres::Statement& statement) const;
  Answer RowsOf(const std::vector<std::pair<const Row*, bool>>& rows) const;
  bool Is(const Condition& condition, const Row& row) const;
  Value ValueOf(const Row& row, absl::string_view column) const;
  bool HoldsBack(const Row& row, const std::set<int64_t>& waiting) const;
  std::vector<Row*> ThereOf(const std::set<int64_t>& ids) const;
  // By an array of ids, or by the three parameters of a range.
  std::vector<Row*> ThereOf(const postgres::Statement& statement, bool range) const;
  void End(const SessionPtr& session, absl::Duration told_after, absl::Duration free_after);
  void Release(const Session* session) {
    std::erase_if(locks_, [&](const Lock& lock) { return lock.holder.get() == session; });
  }

  struct Lock {
    SessionPtr holder;
    int64_t of = 0;  // class
    bool shared = false;
  };

  World& world_;
  const poll::OutboxTable table_;
  const Condition open_, ready_, blocks_, parked_;
  std::map<std::string, Handler> handlers_;
  std::vector<SessionPtr> sessions_;
  std::vector<Lock> locks_;
  bool claimed_beside_ = false;  // the last claim left out what was in flight
};

}  // namespace walduct::poll_simulation
