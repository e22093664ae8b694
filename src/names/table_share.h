// TableShare: of a connector that reads several slots, the tables that are another slot's. What is
// not known, such as a partition that was created a moment ago, is ours: only the publication that
// names its root brings it.
//
// Thread-safety: any thread.
#pragma once

#include <mutex>
#include <set>
#include <utility>

#include "base/lsn.h"

namespace walduct::names {

class TableShare {
 public:
  // In place of what was told before. By OID: names may be exchanged while both are streamed.
  void SetOthers(std::set<Oid> tables) {
    const std::lock_guard<std::mutex> lock(mutex_);
    others_ = std::move(tables);
  }
  bool Takes(Oid table) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !others_.contains(table);
  }

 private:
  mutable std::mutex mutex_;
  std::set<Oid> others_;  // guarded by mutex_
};

}  // namespace walduct::names
