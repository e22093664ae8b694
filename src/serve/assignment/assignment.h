// Assignment: which connectors of a group are this worker's, and who leads the group. A worker asks
// nothing else of whoever shares them out.
//
// What comes: Owns says yes, in a new generation, and fd() is readable. The worker then reads its
// topics again and starts the connector from its stored position.
// What goes: Owns says no, in a new generation, and the handler of OnRevoke is called. `done` is
// called once nothing runs any more of what is not owned: then the revocation is complete, and who
// can hold the next owner back so long does (a group's rebalance). Of what was lost, such as with a
// session, the next owner may be ahead.
//
// Two workers may believe for a moment that they own one connector. The slot and its lock keep two
// readers apart (replication/slot_lock.h), and with exactly once the transactional id: an
// assignment that comes late costs time, never a record.
//
// Thread-safety: any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "base/wake.h"

namespace walduct::serve {

class Assignment {
 public:
  virtual ~Assignment() = default;

  // Whether the connector is to run here and its status is written here: also while nobody can
  // confirm it, until it is revoked.
  virtual bool Owns(absl::string_view connector) const = 0;
  // OK: what Owns says is confirmed. Else nothing new begins and nothing is written, for another
  // one may do both: Unavailable kafka_away, Aborted.
  virtual absl::Status Confirmed() const = 0;

  // Who writes configurations.
  struct Leader {
    bool self = false;
    std::string worker = {};  // another one, for people; empty: none is known
    std::string url = {};     // where that one answers; empty: not known
  };
  virtual Leader leader() const = 0;

  // Of a group that shares connectors; what follows is as if there were none.
  // Whether the topics are followed as others write them; reading() then grows where they have to
  // be read anew all the same.
  virtual bool follows() const { return false; }
  virtual uint64_t reading() const { return generation(); }
  // Whether the connector's states are written here, also of one that nobody owns.
  virtual bool SpeaksFor(absl::string_view connector) const { return Owns(connector); }
  // What another worker waits for: that its state says UNASSIGNED, in this generation.
  virtual std::map<std::string, int64_t> Leaving() const { return {}; }
  // The topic of configurations had lost all it held, and what the worker knows is in it again:
  // what else is kept in it has to be written, too.
  virtual void TopicWasLost() {}
  // Of the state of a connector that is owned.
  virtual int64_t GenerationOf(absl::string_view /*connector*/) const { return 1; }
  // A connector of another worker, or of none.
  struct Elsewhere {
    std::string worker = {}, url = {};  // may be empty
    bool runs = false;                  // what that worker says of it counts
    std::string why = {};               // it does not run
  };
  virtual std::optional<Elsewhere> WhereIs(absl::string_view /*connector*/) const {
    return std::nullopt;
  }
  // False: whatever Owns says, it says no of all by the clock. Cheap.
  virtual bool HoldsLease() const { return true; }

  // Grows whenever what is owned changes.
  uint64_t generation() const { return generation_.load(); }
  // Readable when it has, until Drain; of the one thread that waits.
  int fd() const { return changed_.fd(); }
  void Drain() { changed_.Drain(); }

  using Done = std::function<void()>;
  using RevokeHandler = std::function<void(Done done)>;
  // One handler, which returns at once; null: none.
  void OnRevoke(RevokeHandler handler) {
    const MutexLock lock(handler_mutex_);
    handler_ = std::move(handler);
  }

 protected:
  // For who implements it, once Owns says so: more is owned; less. done is called by the handler,
  // or at once where there is none.
  void Changed() {
    ++generation_;
    changed_.Signal();
  }
  void Revoke(Done done) {
    Changed();
    const MutexLock lock(handler_mutex_);
    if (handler_) {
      handler_(std::move(done));
    } else {
      done();
    }
  }

 private:
  std::atomic<uint64_t> generation_{0};
  Wake changed_;
  Mutex handler_mutex_;
  RevokeHandler handler_ ABSL_GUARDED_BY(handler_mutex_);
};

}  // namespace walduct::serve
