// KnownSlots: what this process knows of the slots of its connectors, whatever object runs one:
// after a stop and a resume, or with another configuration, a connector is begun anew, and what it
// goes on from may be nowhere else any more. A process that ends forgets it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/lsn.h"
#include "base/mutex.h"
#include "metrics/lag_board.h"
#include "offset/stored_offset.h"
#include "replication/capture/capture_judge.h"

namespace walduct::slot {

class KnownSlot {
 public:
  // Loaded or stored last. Data thread of who runs the connector; one does at a time.
  std::optional<offset::StoredOffset>& stored() { return stored_; }

  // Slots that a session has streamed from, by their names. The data thread as well.
  std::set<std::string>& slots_read() { return slots_read_; }

  // Its attempt has ended: this process alone may know the position then. The data thread.
  void RememberEnd() {
    const MutexLock lock(mutex_);
    ended_at_.reset();
    if (stored_) ended_at_ = stored_->position.commit_end;
  }
  // Any thread; absent: none has ended that had one.
  std::optional<Lsn> ended_at() const {
    const MutexLock lock(mutex_);
    return ended_at_;
  }

  // How what is captured was sent when a session ended; any thread.
  void Remember(replication::CaptureMemory captured) {
    const MutexLock lock(mutex_);
    captured_ = std::move(captured);
  }
  replication::CaptureMemory captured() const {
    const MutexLock lock(mutex_);
    return captured_;
  }

  // How far behind it is, at the slot of that place, for whoever goes on with it; any thread.
  void RememberLag(const std::string& place, const metrics::LagBoard::Memory& lag, absl::Time now) {
    const MutexLock lock(mutex_);
    lag_ = Behind{.place = place, .lag = lag, .at = now};
  }
  // Absent: nobody knows, or it is so old that somebody else may have read meanwhile.
  static constexpr absl::Duration kLagHolds = absl::Minutes(1);
  std::optional<metrics::LagBoard::Memory> lag(const std::string& place, absl::Time now) const {
    const MutexLock lock(mutex_);
    if (!lag_ || lag_->place != place || now - lag_->at > kLagHolds) return std::nullopt;
    return lag_->lag;
  }

 private:
  struct Behind {
    std::string place;
    metrics::LagBoard::Memory lag;
    absl::Time at;
  };
  std::optional<offset::StoredOffset> stored_;
  std::set<std::string> slots_read_;
  mutable Mutex mutex_;
  replication::CaptureMemory captured_ ABSL_GUARDED_BY(mutex_);
  std::optional<Lsn> ended_at_ ABSL_GUARDED_BY(mutex_);
  std::optional<Behind> lag_ ABSL_GUARDED_BY(mutex_);
};

// Thread-safe.
class KnownSlots {
 public:
  // Of connectors that are gone, too: they may come back.
  static constexpr size_t kMost = 1000;

  // A connector, or one of its lanes, and the slot that it reads.
  struct Reader {
    std::string connector;
    std::string server;  // host:port, as it is configured
    std::string slot;
    // Of that database, as they are configured.
    std::string database;
    std::set<std::string> publications;
  };
  // place: its entry of the offset store, and where that is.
  std::shared_ptr<KnownSlot> Of(const std::string& place, const Reader& reader = {});

  // Of connectors of this process that run, or are looked after:
  // others that read the same slot,
  std::vector<std::string> OthersOf(const Reader& reader) const;
  // and the slots of that server which others than this connector read.
  std::set<std::string> SlotsOfOthers(const std::string& connector,
                                      const std::string& server) const;
  // The publications that others read by of databases of that name, whatever their servers are
  // called; a name is also there in lower case, as it may be folded.
  std::set<std::string> PublicationsOfOthers(const std::string& connector,
                                             const std::string& database) const;

 private:
  struct Entry {
    std::shared_ptr<KnownSlot> known;
    Reader reader;

    bool is_there() const { return known.use_count() > 1; }
  };
  mutable Mutex mutex_;
  std::map<std::string, Entry> all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::slot
