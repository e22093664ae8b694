#include "metrics/live_tail.h"

#include <utility>

#include "base/utf8.h"

namespace walduct::metrics {

void LiveTail::Show(Entry entry) {
  if (!mutex_.try_lock()) return;
  if (entries_.size() >= kGrant) entries_.pop_front();
  entries_.push_back(std::move(entry));
  // A look may ask for more at the same time: then there is more to come.
  uint32_t left = granted_.load(std::memory_order_relaxed);
  if (left > 0) granted_.compare_exchange_strong(left, left - 1, std::memory_order_relaxed);
  mutex_.unlock();
}

std::vector<LiveTail::Entry> LiveTail::Look(uint64_t after, bool texts) const {
  std::vector<Entry> found;
  const MutexLock lock(mutex_);
  for (Entry& entry : entries_) {
    if (!texts) entry.key = entry.value = std::nullopt;
    if (entry.number > after) found.push_back(entry);
  }
  texts_.store(texts, std::memory_order_relaxed);
  granted_.store(kGrant, std::memory_order_relaxed);
  return found;
}

std::optional<std::string> BeginningOf(absl::string_view text) {
  text = Utf8Prefix(text, LiveTail::kMostText);
  if (!IsValidUtf8(text) || text.find('\0') != absl::string_view::npos) return std::nullopt;
  return std::string(text);
}

}  // namespace walduct::metrics
