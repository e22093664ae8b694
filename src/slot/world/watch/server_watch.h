// ServerWatch: looks at the server every few seconds from beside the stream, on a thread of its own
// and with a session for the look (WatchSessions): who holds the lock that a
// session of ours waits for, how much WAL the slot keeps and how much it may still keep, which open
// transaction keeps it there, and
// whether the server takes sessions at all (during a smart shutdown it does not, and says nothing
// to those that are there). What cannot wait for the data thread, which may be what is blocked, is
// said in the log here: locks, and a slot that is about to be lost. It also asks the catalog which
// tables are gone (replication/gone_relations.h), at once, and lets a CaptureWatch look whether
// what is captured is still sent.
//
// Thread-safety: what is public from any thread. The destructor waits for a look under way to give
// up.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/worker_thread.h"
#include "engine/configuration/connector_names.h"
#include "metrics/connector_metrics.h"
#include "postgres/connection_options.h"
#include "replication/gone_relations.h"
#include "slot/world/capture/look_trouble.h"
#include "slot/world/watch/server_view.h"
#include "slot/world/watch/watch_sessions.h"

namespace walduct::slot {

class CaptureWatch;

class ServerWatch {
 public:
  struct Options {
    postgres::ConnectionOptions connection;  // application_name: of the connector's sessions
    std::string slot;
    engine::ConnectorNames names;  // of the connector whose log lines these are
    absl::Duration interval;
    metrics::ConnectorMetrics* metrics = nullptr;       // borrowed; null: nobody is told
    std::shared_ptr<WatchSessions> sessions = nullptr;  // null: they are nobody else's
  };
  explicit ServerWatch(Options options);

  ServerView view() const;

  // From now on it looks with each look's session.
  void LookWith(std::shared_ptr<CaptureWatch> capture);
  // A look now.
  void Hurry();

  // See Source. What fails is asked again with the next look.
  void AskForGone(std::vector<replication::ToldRelation> relations);
  std::optional<replication::GoneRelations> TakeGone();

 private:
  void Loop();
  // False: to be ended. Ends early for a question.
  bool AwaitLook(absl::Duration duration);
  absl::Status Look();
  absl::Status LookAtMore(postgres::Connection& connection, CaptureWatch* capture);
  absl::Status LookAtServer(postgres::Connection& connection);
  absl::Status LookAtSlot(postgres::Connection& connection, ServerView* next);
  // What is waited for; empty: for none.
  static constexpr size_t kBesideSessions = 2;  // that run beside the stream
  struct BesideLock {
    std::string text, holder;  // its pid
  };
  struct Locks {
    std::string stream;
    std::array<BesideLock, kBesideSessions> beside;
  };
  // Of many who look one asks for all of them.
  absl::Status LookAtTransactions(postgres::Connection& connection, ServerView* next);
  absl::StatusOr<bool> NobodyWaits(postgres::Connection& connection);
  absl::StatusOr<Locks> LookAtLocks(postgres::Connection& connection, int tries);
  absl::Status LookForGone(postgres::Connection& connection);
  std::shared_ptr<CaptureWatch> Capture() const;
  bool WantsLookSoon() const;
  struct SaidLock {
    std::string text;
    absl::Duration at;
  };
  bool IsNew(const Locks& locks) const;
  void WarnOfLock(const std::string& lock, absl::string_view who, SaidLock* said);
  void TellOfBeside(size_t place, const BesideLock& lock);
  void WarnOfSlot(bool endangered, const ServerView& next);
  void WarnOfOldTransaction(const ServerView& next);

  Options options_;
  const std::unique_ptr<WatchSessions::Member> sessions_;
  mutable Mutex mutex_;
  ServerView view_ ABSL_GUARDED_BY(mutex_);
  std::vector<replication::ToldRelation> asked_ ABSL_GUARDED_BY(mutex_);  // empty: no question
  bool hurry_ ABSL_GUARDED_BY(mutex_) = false;                            // it has just been asked
  std::optional<replication::GoneRelations> gone_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<CaptureWatch> capture_ ABSL_GUARDED_BY(mutex_);  // null: nobody looks
  // The thread's own.
  absl::Duration slot_said_;
  SaidLock stream_lock_;  // as said last
  std::array<SaidLock, kBesideSessions> beside_locks_;
  std::array<std::string, kBesideSessions> beside_holders_;
  std::string wal_status_;  // as said last
  std::optional<absl::Duration> transaction_said_;
  LookTrouble slot_trouble_{metrics::Beside::kSlotLook};

  WorkerThread thread_;  // last: uses all of the above
};

}  // namespace walduct::slot
