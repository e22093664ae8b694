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

#include "base/mutex.h"
#include "offset/stored_offset.h"
#include "replication/capture/capture_judge.h"

namespace walduct::slot {

class KnownSlot {
 public:
  // Loaded or stored last. Data thread of who runs the connector; one does at a time.
  std::optional<offset::StoredOffset>& stored() { return stored_; }

  // How what is captured was sent when a session ended; any thread.
  void Remember(replication::CaptureMemory captured) {
    const MutexLock lock(mutex_);
    captured_ = std::move(captured);
  }
  replication::CaptureMemory captured() const {
    const MutexLock lock(mutex_);
    return captured_;
  }

 private:
  std::optional<offset::StoredOffset> stored_;
  mutable Mutex mutex_;
  replication::CaptureMemory captured_ ABSL_GUARDED_BY(mutex_);
};

// Thread-safe.
class KnownSlots {
 public:
  // Of connectors that are gone, too: they may come back.
  static constexpr size_t kMost = 1000;

  // A connector, or one of its lanes, and the slot that it reads, on a server.
  struct Reader {
    std::string connector, slot;
  };
  // place: its entry of the offset store, and where that is.
  std::shared_ptr<KnownSlot> Of(const std::string& place, const Reader& reader = {});
  // Others that run, or are looked after, and read the same slot.
  std::vector<std::string> OthersOf(const Reader& reader) const;

  // Which slot a connector reads, whether it runs or rests; server: where.
  void Claim(const std::string& connector, const std::string& server, const std::string& slot);
  // Of that server, those that the other connectors read.
  std::set<std::string> OfOthers(const std::string& connector, const std::string& server);

 private:
  struct Entry {
    std::shared_ptr<KnownSlot> known;
    Reader reader;
  };
  mutable Mutex mutex_;
  std::map<std::string, Entry> all_ ABSL_GUARDED_BY(mutex_);
  // By connector: server and slot.
  std::map<std::string, std::pair<std::string, std::string>> claims_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::slot
