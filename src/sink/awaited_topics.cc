#include "sink/awaited_topics.h"

#include <algorithm>

namespace walduct::sink {

bool AwaitedTopics::Add(const std::string& topic) {
  if (producer_.in_flight_records() == 0) topics_.clear();  // what is missing still was given up
  if (topics_.size() >= kMost) {
    const auto exists = [this](const std::string& name) { return producer_.HasTaken(name); };
    topics_.erase(std::remove_if(topics_.begin(), topics_.end(), exists), topics_.end());
  }
  if (topics_.size() >= kMost) return false;
  topics_.push_back(topic);
  return true;
}

}  // namespace walduct::sink
