// MemoryTopics: a worker's topics without Kafka.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "serve/topics/internal_topics.h"

namespace walduct::test {

class MemoryTopics final : public serve::InternalTopics {
 public:
  absl::Status Write(serve::InternalTopic topic,
                     const std::vector<serve::TopicEntry>& entries) override {
    if (const auto meanwhile = std::exchange(meanwhile_, nullptr)) meanwhile();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok()) return failure_;
    for (const serve::TopicEntry& entry : entries) records_[topic].push_back(entry);
    return absl::OkStatus();
  }

  absl::Status Read(serve::InternalTopic topic, const Handler& handler) override {
    if (during_reads) during_reads();
    for (const serve::TopicEntry& entry : Records(topic)) {
      std::optional<absl::string_view> value;
      if (entry.value) value = *entry.value;
      handler(entry.key, value);
    }
    return absl::OkStatus();
  }

  std::vector<serve::TopicEntry> Records(serve::InternalTopic topic) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = records_.find(topic);
    return found == records_.end() ? std::vector<serve::TopicEntry>() : found->second;
  }

  // Keys, in order, from the given one on; a tombstone's with a minus before it.
  std::vector<std::string> Keys(serve::InternalTopic topic, size_t from = 0) const {
    std::vector<std::string> keys;
    const std::vector<serve::TopicEntry> records = Records(topic);
    for (size_t i = from; i < records.size(); ++i)
      keys.push_back((records[i].value ? "" : "-") + records[i].key);
    return keys;
  }

  // The last value of a key; absent: none, or null.
  std::optional<std::string> Last(serve::InternalTopic topic, const std::string& key) const {
    std::optional<std::string> last;
    for (const serve::TopicEntry& entry : Records(topic)) {
      if (entry.key == key) last = entry.value;
    }
    return last;
  }

  absl::Status Prepare() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    gone_ = absl::OkStatus();
    return absl::OkStatus();
  }
  absl::Status CheckThere() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return gone_;
  }

  // Until they are prepared.
  void BeGone() {
    const std::lock_guard<std::mutex> lock(mutex_);
    records_.clear();
    gone_ = Error(absl::StatusCode::kFailedPrecondition, "worker_topic_gone", "it is gone");
  }

  void FailWith(absl::Status failure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    failure_ = std::move(failure);
  }

  void LoseAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    records_.clear();
  }

  std::function<void()> during_reads;
  // Happens once, while the next write is under way.
  void DuringNextWrite(std::function<void()> meanwhile) { meanwhile_ = std::move(meanwhile); }

 private:
  std::function<void()> meanwhile_;
  mutable std::mutex mutex_;
  absl::Status failure_, gone_;
  std::map<serve::InternalTopic, std::vector<serve::TopicEntry>> records_;
};

}  // namespace walduct::test
