// SweptMap: a map of what can be made anew. When it has doubled since the last time, entries that
// nobody has looked up meanwhile are forgotten: what is in use stays, however much it is, and what
// is not (tables that were dropped long ago) goes sooner or later. Keys of what was forgotten are
// remembered for a while: when they come again, as they do where a thousand tables change by turns,
// more is in use than was thought, and nothing is forgotten until all of it fits. Where that weighs
// too much, little is kept as before.
//
// Not thread-safe. References stay valid until Add.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace walduct {

template <typename Key, typename Value>
class SweptMap {
 public:
  // Fewer than `least` are never forgotten. What comes by turns is kept unless all of it weighs
  // `most_by_turns` or more when it has doubled.
  explicit SweptMap(size_t least, size_t most_by_turns = kMostByTurns)
      : least_(least), most_by_turns_(most_by_turns), limit_(least) {}

  // Null: not there.
  Value* Find(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    found->second.used = sweeps_;
    return found->second.value.get();
  }

  // The key must be new. Others may be forgotten.
  Value& Add(const Key& key, size_t weight = 1) {
    if (entries_.size() >= limit_) Sweep();
    ++added_;
    returned_ += forgotten_.erase(key);
    Entry& entry = entries_[key];
    entry = {.value = std::make_unique<Value>(), .used = sweeps_, .weight = weight};
    weight_ += weight;
    return *entry.value;
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::unique_ptr<Value> value = {};
    uint64_t used = 0;
    size_t weight = 1;
  };
  static constexpr size_t kMostForgotten = 1 << 15;
  static constexpr size_t kMostByTurns = 1 << 14;

  void Sweep() {
    const bool by_turns = 2 * returned_ > added_;
    if (by_turns && !too_many_ && weight_ >= most_by_turns_) {
      too_many_ = true;
      ++sweeps_;  // as if none had been looked up
    }
    too_many_ = too_many_ && by_turns;
    if (!by_turns || too_many_) Forget();
    added_ = returned_ = 0;
    ++sweeps_;
    limit_ = std::max(least_, 2 * entries_.size());
  }

  void Forget() {
    if (forgotten_.size() > kMostForgotten) forgotten_.clear();
    absl::erase_if(entries_, [this](const auto& entry) {
      if (entry.second.used == sweeps_) return false;
      forgotten_.insert(entry.first);
      weight_ -= entry.second.weight;
      return true;
    });
  }

  const size_t least_, most_by_turns_;
  size_t limit_;
  uint64_t sweeps_ = 0;
  size_t weight_ = 0;  // of all entries
  absl::flat_hash_map<Key, Entry> entries_;
  absl::flat_hash_set<Key> forgotten_;  // some of those that were
  size_t added_ = 0, returned_ = 0;     // since the last sweep; of them had been forgotten
  bool too_many_ = false;               // come by turns
};

}  // namespace walduct
