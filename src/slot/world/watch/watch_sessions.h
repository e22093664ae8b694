// WatchSessions: the sessions that looks beside the stream (ServerWatch) are made with. Where many
// connectors of a process look at one database, few sessions are kept for them in turn: a login,
// and what a new session has to read of the catalog, costs the server more than the look. Who comes
// when all of them look waits, a moment: many connectors begin at once. Where few look, each look
// opens a session and closes it.
//
// What a look finds for all of them is found once in a while (SharedLook).
//
// What a server says to new sessions alone (it shuts down, the password is another one) is found
// once a kept session is too old.
//
// Thread-safety: Join from any thread; a Member is one thread's.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "postgres/connection.h"
#include "slot/world/watch/shared_look.h"

namespace walduct::slot {

class WatchSessions : public std::enable_shared_from_this<WatchSessions> {
  struct Session {
    std::unique_ptr<postgres::Connection> connection;
    std::shared_ptr<postgres::StopCheck> stopping;  // of who has it
    absl::Duration opened_at;
  };

 public:
  static constexpr int kMany = 8;  // look at one database: sessions are kept
  static constexpr int kMost = 4;  // that look at once, unless they take too long
  static constexpr absl::Duration kPatience = absl::Seconds(2);
  static constexpr absl::Duration kLifetime = absl::Seconds(5);

  // The check: as in ConnectionOptions.
  using Open = std::function<absl::StatusOr<std::unique_ptr<postgres::Connection>>(
      postgres::StopCheck stopping)>;
  // Who looks now and then, as long as it lives.
  class Member {
   public:
    ~Member();
    // A kept session, or a new one, until Return.
    absl::StatusOr<postgres::Connection*> Take(postgres::StopCheck stopping);
    // good: all that was asked was answered.
    void Return(bool good);
    // Null where few look.
    std::shared_ptr<SharedLook> shared() const;

   private:
    friend WatchSessions;
    Member(std::shared_ptr<WatchSessions> sessions, std::string place, Open open, Clock& clock);

    void EndTurn();

    const std::shared_ptr<WatchSessions> sessions_;
    const std::string place_;
    const Open open_;
    Clock& clock_;
    bool looks_ = false;  // has a turn
    Session taken_;
  };
  // place: the same text for sessions of which one is as good as the other.
  std::unique_ptr<Member> Join(std::string place, Open open, Clock& clock);

 private:
  struct Place {
    int members = 0;
    int looking = 0;
    std::vector<Session> kept;
    const std::shared_ptr<SharedLook> shared = std::make_shared<SharedLook>();
  };

  // False: so many look all the time.
  bool TakeTurn(const std::string& place, absl::Duration longest, bool anyway);
  void EndTurn(const std::string& place);
  Session TakeKept(const std::string& place, absl::Duration now);
  void Keep(const std::string& place, Session session, absl::Duration now);

  Mutex mutex_;
  std::condition_variable ended_;                                // a look
  std::map<std::string, Place> places_ ABSL_GUARDED_BY(mutex_);  // by name
};

}  // namespace walduct::slot
