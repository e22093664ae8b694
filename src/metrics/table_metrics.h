// TableMetrics: what was published of each table. The data thread counts, without a lock once it
// knows a table; any thread reads. At most kMaxTables have numbers of their own, all others share
// one entry: a database of a million tables does not make a million series.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "metrics/cell.h"
#include "metrics/event_kind.h"

namespace walduct::metrics {

struct TableCounters {
  struct Pair {
    Counter rows;
    Counter bytes;  // of keys and values
  };
  std::array<Pair, kEventKindLabels.size()> by_kind;
};

class TableMetrics {
 public:
  static constexpr size_t kMaxTables = 500;

  struct View {
    std::string schema, table;  // both empty: all tables beyond the first kMaxTables
    const TableCounters* counters;
  };

  // The data thread. The counters live as long as this.
  TableCounters* Of(const std::string& schema, const std::string& table);
  // Any thread; by name.
  std::vector<View> Read() const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<TableCounters>> tables_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
