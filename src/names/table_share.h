// TableShare: of a connector that reads several slots, the tables that are another slot's. What is
// not known, such as a partition that was created a moment ago, is ours: only the publication that
// names its root brings it.
//
// Thread-safety: any thread.
#pragma once

#include <set>
#include <utility>

#include "base/lsn.h"
#include "base/mutex.h"

namespace walduct::names {

class TableShare {
 public:
  // In place of what was told before. By OID: names may be exchanged while both are streamed.
  void SetOthers(std::set<Oid> tables) {
    const MutexLock lock(mutex_);
    others_ = std::move(tables);
  }
  bool Takes(Oid table) const {
    const MutexLock lock(mutex_);
    return !others_.contains(table);
  }

 private:
  mutable Mutex mutex_;
  std::set<Oid> others_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::names
