// CapturedNow: what is captured, and how the publication sends it, as a look at the catalog from
// beside the stream has found it. CapturedBox hands the last look to the data thread. Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "postgres/describe/catalog.h"
#include "replication/coverage.h"

namespace walduct::engine {

struct CapturedNow {
  std::vector<postgres::TableName> tables;
  replication::Coverage coverage;
};

class CapturedBox {
 public:
  // In the place of an earlier one that nobody has taken.
  void Put(CapturedNow now) {
    const std::lock_guard<std::mutex> lock(mutex_);
    now_ = std::move(now);
    full_ = true;
  }
  // Once each. Cheap where there is none.
  std::optional<CapturedNow> Take() {
    if (!full_) return std::nullopt;
    const std::lock_guard<std::mutex> lock(mutex_);
    full_ = false;
    return std::exchange(now_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<CapturedNow> now_;  // guarded by mutex_
  std::atomic<bool> full_{false};
};

}  // namespace walduct::engine
