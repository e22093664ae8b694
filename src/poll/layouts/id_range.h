// IdRange: a set of integers as the range that it fills, but for a few that are missing in it. Of a
// primary key it says the same as a list of the keys: the row of an id that is in the set is there,
// so no other one, however late it is committed, can have that id. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace walduct::poll {

class IdRange {
 public:
  explicit IdRange(size_t most_missing = 0) : most_missing_(most_missing) {}

  bool empty() const { return last_ < first_; }
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  // Of those between them; sorted.
  const std::vector<int64_t>& missing() const { return missing_; }

  // What lies below is of no interest any more.
  void Forget(int64_t below) {
    if (empty() || below <= first_) return;
    missing_.erase(missing_.begin(), std::lower_bound(missing_.begin(), missing_.end(), below));
    first_ = below;
    if (empty()) missing_.clear();
  }
  // Whether there is room: false leaves it as it was.
  bool Add(int64_t id) {
    if (empty()) {
      first_ = last_ = id;
      return true;
    }
    if (id > last_) {
      if (!HasRoomFor(last_, id)) return false;
      while (++last_ < id) missing_.push_back(last_);
      return true;
    }
    if (id < first_) {
      if (!HasRoomFor(id, first_)) return false;
      std::vector<int64_t> between;
      for (int64_t other = id + 1; other < first_; ++other) between.push_back(other);
      missing_.insert(missing_.begin(), between.begin(), between.end());
      first_ = id;
      return true;
    }
    const auto at = std::lower_bound(missing_.begin(), missing_.end(), id);
    if (at != missing_.end() && *at == id) missing_.erase(at);
    return true;
  }
  // False: some may have been added.
  bool AddAll(absl::Span<const int64_t> ids) {
    return std::all_of(ids.begin(), ids.end(), [this](int64_t id) { return Add(id); });
  }

 private:
  // The whole of 64 bits may lie between two.
  bool HasRoomFor(int64_t low, int64_t high) const {
    return static_cast<uint64_t>(high) - static_cast<uint64_t>(low) - 1 <=
           most_missing_ - missing_.size();
  }

  size_t most_missing_;
  int64_t first_ = 0, last_ = -1;
  std::vector<int64_t> missing_;
};

// As statements take it.
inline std::vector<std::string> RangeParameters(const IdRange& range) {
  return {absl::StrCat(range.first()), absl::StrCat(range.last()),
          absl::StrCat("{", absl::StrJoin(range.missing(), ","), "}")};
}

// Absent: there is no room for what is missing.
inline std::optional<IdRange> RangeOf(absl::Span<const std::string> ids, size_t most_missing) {
  IdRange range(most_missing);
  for (const std::string& text : ids) {
    int64_t id = 0;
    if (!absl::SimpleAtoi(text, &id) || !range.Add(id)) return std::nullopt;
  }
  return range;
}

}  // namespace walduct::poll
