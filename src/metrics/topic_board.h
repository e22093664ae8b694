// TopicBoard: how many records went to each topic. The data thread counts, without a lock once it
// knows a topic; any thread reads. As many entries as the sink has topics.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "metrics/cell.h"

namespace walduct::metrics {

class TopicBoard {
 public:
  // The data thread. The counter lives as long as this.
  Counter* Of(const std::string& topic) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Counter>& counter = topics_[topic];
    if (counter == nullptr) counter = std::make_unique<Counter>();
    return counter.get();
  }

  // Any thread.
  std::map<std::string, uint64_t> Read() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::map<std::string, uint64_t> records;
    for (const auto& [topic, counter] : topics_) records[topic] = counter->value();
    return records;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Counter>> topics_;  // guarded by mutex_
};

}  // namespace walduct::metrics
