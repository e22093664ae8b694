// NotificationBoard: what a connector told of its own doings last. The data thread writes, when a
// table or a chunk begins or ends; any thread reads.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/utf8.h"

namespace walduct::metrics {

class NotificationBoard {
 public:
  static constexpr size_t kKept = 100;
  // Bytes of a detail: it may name thousands of tables.
  static constexpr size_t kLongest = size_t{16} << 10;

  struct Entry {
    uint64_t number = 0;  // of all since the start, from 1 on; given by Show
    absl::Time at;
    std::string id;  // empty: nobody else was told
    std::string type, aggregate;
    std::vector<std::pair<std::string, std::string>> details;
  };

  // Of IN_PROGRESS in a row the last one is kept.
  void Show(Entry entry) {
    const MutexLock lock(mutex_);
    entry.number = ++shown_;
    for (auto& [name, text] : entry.details) Shorten(&text);
    const bool goes_on = !entries_.empty() && entry.type == "IN_PROGRESS" &&
                         entries_.back().type == entry.type &&
                         entries_.back().aggregate == entry.aggregate;
    if (goes_on || entries_.size() == kKept)
      entries_.erase(goes_on ? entries_.end() - 1 : entries_.begin());
    entries_.push_back(std::move(entry));
  }
  // The oldest first.
  std::vector<Entry> Read() const {
    const MutexLock lock(mutex_);
    return {entries_.begin(), entries_.end()};
  }

 private:
  // Behind a whole name, if one ends there.
  static void Shorten(std::string* text) {
    constexpr size_t kLongestName = 256;
    if (text->size() <= kLongest) return;
    const size_t comma = text->rfind(',', kLongest - 1);
    const bool ends_there = comma != std::string::npos && comma + kLongestName > kLongest;
    *text = absl::StrCat(Utf8Prefix(*text, ends_there ? comma + 1 : kLongest), "…");
  }

  mutable Mutex mutex_;
  uint64_t shown_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
