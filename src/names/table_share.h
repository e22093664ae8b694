// TableShare: of a connector that reads several slots, the tables that are another slot's. What is
// not known, such as a partition that was created a moment ago, is ours: only the publication that
// names its root brings it.
//
// Thread-safety: any thread.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace walduct::names {

class TableShare {
 public:
  // "schema.table" of each, in place of what was told before.
  void SetOthers(std::set<std::string> tables) {
    const std::lock_guard<std::mutex> lock(mutex_);
    others_ = std::move(tables);
  }
  bool Takes(const std::string& table) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !others_.contains(table);
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> others_;  // guarded by mutex_
};

}  // namespace walduct::names
