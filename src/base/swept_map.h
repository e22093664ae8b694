// SweptMap: a map of what can be made anew. When it has doubled since the last time, entries that
// nobody has looked up meanwhile are forgotten: what is in use stays, however much it is, and what
// is not (tables that were dropped long ago) goes sooner or later.
//
// Not thread-safe. References stay valid until Add.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace walduct {

template <typename Key, typename Value>
class SweptMap {
 public:
  // Never fewer than least are forgotten at a time.
  explicit SweptMap(size_t least) : least_(least), limit_(least) {}

  // Null: not there.
  Value* Find(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    found->second.used = sweeps_;
    return found->second.value.get();
  }

  // The key must be new. Others may be forgotten.
  Value& Add(const Key& key) {
    if (entries_.size() >= limit_) Sweep();
    Entry& entry = entries_[key];
    entry = {.value = std::make_unique<Value>(), .used = sweeps_};
    return *entry.value;
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::unique_ptr<Value> value = {};
    uint64_t used = 0;
  };

  void Sweep() {
    std::erase_if(entries_, [this](const auto& entry) { return entry.second.used != sweeps_; });
    ++sweeps_;
    limit_ = std::max(least_, 2 * entries_.size());
  }

  const size_t least_;
  size_t limit_;
  uint64_t sweeps_ = 0;
  std::unordered_map<Key, Entry> entries_;
};

}  // namespace walduct
