// CaptureBoard: what of the tables that are captured does not come as it should, as the last look
// at the catalog has shown. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/mutex.h"

namespace walduct::metrics {

// Labels; docs/reasons.md says what each means.
inline constexpr std::array<absl::string_view, 26> kCaptureReasons = {
    "captured_table_dropped",
    "captured_table_renamed",
    "column_matches_nothing",
    "list_matches_nothing",
    "no_tables_captured",
    "partition_apart",
    "partition_attached",
    "partition_sent_as_root",
    "publication_column_list",
    "publication_lacks_operations",
    "publication_lacks_tables",
    "publication_missing",
    "publication_refuses_writes",
    "publication_row_filter",
    "publication_sends_more",
    "publication_without_partitions",
    "replica_identity_weaker",
    "signal_table_missing",
    "signal_table_not_published",
    "signal_table_partitioned",
    "table_created_anew",
    "table_in_two_publications",
    "table_was_not_published",
    "table_was_unlogged",
    "topic_deleted",
    "unlogged_table"};

// All tables of one reason.
struct CaptureProblem {
  std::string reason;
  bool loses = true;  // else it is worth knowing
  absl::Time since;   // the oldest of them was seen first
  std::string message, hint;
  uint64_t count = 0;
  std::vector<std::string> tables = {};  // at most 20
};

// "…(2): public.a, public.b". Of a publication as a whole no table is named.
inline std::string MessageWithTables(const CaptureProblem& problem) {
  if (problem.tables.empty()) return problem.message;
  return absl::StrCat(problem.message, " (", problem.count,
                      "): ", absl::StrJoin(problem.tables, ", "));
}

struct CaptureView {
  std::vector<CaptureProblem> problems;
  absl::Duration looked_at;  // on the monotonic clock
};

class CaptureBoard {
 public:
  void Show(CaptureView view) {
    const MutexLock lock(mutex_);
    view_ = std::move(view);
  }
  // Absent until the catalog was looked at.
  std::optional<CaptureView> Read() const {
    const MutexLock lock(mutex_);
    return view_;
  }

 private:
  mutable Mutex mutex_;
  std::optional<CaptureView> view_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::metrics
