// TopicBoard: which topics were written to since somebody last asked. The data thread marks,
// without a lock while it knows a topic; any thread takes. As many entries as the sinks know
// topics, and those that all of them have forgotten since the last look: a connector with several
// slots has a sink, and a data thread, for each.
#pragma once

#include <atomic>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"

namespace walduct::metrics {

class TopicBoard {
 public:
  class Mark {
   public:
    void Set() { set_.store(true, std::memory_order_relaxed); }
    bool Take() { return set_.exchange(false, std::memory_order_relaxed); }

   private:
    std::atomic<bool> set_{false};
  };

  // A data thread. The mark is there until Forget.
  Mark* Of(const std::string& topic) {
    const MutexLock lock(mutex_);
    std::unique_ptr<Entry>& entry = topics_[topic];
    if (entry == nullptr) entry = std::make_unique<Entry>();
    ++entry->users;
    return &entry->mark;
  }
  // A data thread: its mark is not used any more. What it says is still to be taken.
  void Forget(const std::string& topic) {
    const MutexLock lock(mutex_);
    if (const auto found = topics_.find(topic); found != topics_.end()) --found->second->users;
  }

  // Any thread: the topics that were written to since the last call.
  std::vector<std::string> TakeWritten() {
    const MutexLock lock(mutex_);
    std::vector<std::string> written;
    for (auto at = topics_.begin(); at != topics_.end();) {
      if (at->second->mark.Take()) written.push_back(at->first);
      at = at->second->users <= 0 ? topics_.erase(at) : std::next(at);
    }
    return written;
  }
  size_t size() const {
    const MutexLock lock(mutex_);
    return topics_.size();
  }

 private:
  struct Entry {
    Mark mark;
    int users = 0;  // that have not forgotten it
  };

  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<Entry>> topics_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
