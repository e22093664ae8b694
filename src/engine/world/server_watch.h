// ServerWatch: looks at the server every few seconds from beside the stream, on a thread of its own
// and with a session that is opened for the look and closed again: who holds the lock that a
// session of ours waits for, how much WAL the slot keeps and how much it may still keep, and
// whether the server takes sessions at all (during a smart shutdown it does not, and says nothing
// to those that are there). What cannot wait for the data thread, which may be what is blocked, is
// said in the log here: locks, and a slot that is about to be lost.
//
// Thread-safety: view() from any thread. The destructor waits for a look under way to give up.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/world/server_view.h"
#include "postgres/connection_options.h"

namespace walduct::engine {

class ServerWatch {
 public:
  struct Options {
    postgres::ConnectionOptions connection;  // application_name: of the connector's sessions
    std::string slot;
    std::string connector;  // whose log lines these are
    absl::Duration interval;
  };
  explicit ServerWatch(Options options);
  ~ServerWatch();
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;

  ServerView view() const;

 private:
  void Loop();
  bool Pause(absl::Duration duration);  // false: to be ended
  absl::Status Look();
  absl::Status LookAtSlot(postgres::Connection& connection, ServerView* next);
  absl::StatusOr<std::string> LookAtLocks(postgres::Connection& connection, int tries);
  void WarnOfLock(const std::string& lock);
  void WarnOfSlot(uint64_t limit, const ServerView& next);

  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ServerView view_;  // guarded by mutex_
  std::atomic<bool> stopping_{false};
  // The thread's own.
  absl::Duration looked_at_;
  absl::Duration lock_said_, slot_said_;
  std::string lock_;        // as said last
  std::string wal_status_;  // the same

  std::thread thread_;  // last: uses all of the above
};

}  // namespace walduct::engine
