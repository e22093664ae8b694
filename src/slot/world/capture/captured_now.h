// CapturedNow: what is captured, and how the publication sends it, as a look at the catalog from
// beside the stream has found it. CapturedBox hands the last look to the data thread, and to who
// looks what that thread knows of it. Thread-safe.
#pragma once

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/lsn.h"
#include "base/mutex.h"
#include "postgres/describe/catalog.h"
#include "replication/capture/capture_judge.h"
#include "replication/coverage.h"

namespace walduct::slot {

struct CapturedNow {
  std::vector<postgres::TableName> tables;
  replication::Coverage coverage;
  std::vector<Oid> left_out = {};  // all other tables of the database, sorted
  // Of tables with partitions, and where the server announces no other name of a schema, of all:
  // the end of the WAL, after all that is shown here.
  Lsn end = {};
  bool schemas_are_kept = false;
};

class CapturedBox {
 public:
  // In the place of an earlier one that nobody has taken.
  void Put(CapturedNow now) {
    const MutexLock lock(mutex_);
    now_ = std::move(now);
    full_ = true;
    judged_ = false;
  }
  // Once each. Cheap where there is none.
  std::optional<CapturedNow> Take() {
    if (!full_) return std::nullopt;
    const MutexLock lock(mutex_);
    full_ = false;
    return std::exchange(now_, std::nullopt);
  }

  // By the data thread, after it has told what is lacking by what it took.
  void Judged() {
    const MutexLock lock(mutex_);
    judged_ = !full_;
  }
  // Nothing that was put is still to be judged: what is lacking by it is among the news.
  bool judged() const {
    const MutexLock lock(mutex_);
    return judged_;
  }

  // What looks from now on are to tell the difference to; see replication::Coverage.
  void SetSeen(std::string seen) {
    const MutexLock lock(mutex_);
    asks_ = asks_ || seen_.empty();
    seen_ = std::move(seen);
  }
  std::string seen() const {
    const MutexLock lock(mutex_);
    return seen_;
  }
  // The next look is to put what it finds, though nothing has changed since the last one.
  void Ask() {
    const MutexLock lock(mutex_);
    asks_ = true;
  }
  // Once: that, or what was seen was set for the first time, and no look has known it.
  bool TakeAsks() {
    const MutexLock lock(mutex_);
    return std::exchange(asks_, false);
  }

  // Rows are missing until the table is read.
  void Lacks(replication::CaptureFinding finding) {
    const MutexLock lock(mutex_);
    lacks_.insert(finding.read_with);
    news_.lacking.push_back(std::move(finding));
    full_of_news_ = true;
  }
  // "schema.table"; true: rows of it were missing.
  bool WasRead(const std::string& table) {
    const MutexLock lock(mutex_);
    std::erase_if(news_.lacking, [&](const auto& one) { return one.read_with == table; });
    news_.read.push_back(table);
    full_of_news_ = true;
    return lacks_.erase(table) > 0;
  }
  struct News {
    std::vector<std::string> read;  // before the others came
    std::vector<replication::CaptureFinding> lacking;
  };
  bool has_news() const { return full_of_news_; }
  std::optional<News> TakeNews() {
    if (!full_of_news_) return std::nullopt;
    const MutexLock lock(mutex_);
    full_of_news_ = false;
    return std::exchange(news_, {});
  }

 private:
  mutable Mutex mutex_;
  std::optional<CapturedNow> now_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> full_{false};
  bool judged_ ABSL_GUARDED_BY(mutex_) = true;
  std::string seen_ ABSL_GUARDED_BY(mutex_);
  bool asks_ ABSL_GUARDED_BY(mutex_) = false;
  News news_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> lacks_ ABSL_GUARDED_BY(mutex_);  // tables that are to be read
  std::atomic<bool> full_of_news_{false};
};

}  // namespace walduct::slot
