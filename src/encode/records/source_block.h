// The source block of a record. Its constant parts are made once, and what the changes of a
// transaction share is made when it changes; a record costs a handful of appends. Not thread-safe.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "config/options/options.h"
#include "encode/table/table_plan.h"
#include "event/change_event.h"

namespace walduct::encode {

class SourceBlock {
 public:
  explicit SourceBlock(const config::EncodeOptions& options);

  // Appends `{"version":…}` (kJson) or `Struct{version=…}` (kStruct). table:
  // TablePlan::source_table.
  void Append(const event::ChangeEvent& change, const Texts& table, TextFormat format,
              std::string* out);

 private:
  static constexpr size_t kMarkers = 7;

  // JSON that the changes of a transaction have in common, around what is of one change: its LSN
  // and its table.
  struct Shared {
    int64_t source_time_us = 0;
    std::optional<uint64_t> xid;
    std::optional<Lsn> last_commit_end;
    event::SnapshotMarker snapshot = event::SnapshotMarker::kFalse;
    std::string head;   // up to the LSN in the sequence; empty: nothing is remembered yet
    std::string times;  // from there up to the table
    std::string ids;    // from there up to the LSN
  };

  bool IsShared(const event::ChangeEvent& change) const;
  void Share(const event::ChangeEvent& change);
  void AppendJson(const event::ChangeEvent& change, absl::string_view table, std::string* out);
  void AppendStruct(const event::ChangeEvent& change, absl::string_view table,
                    std::string* out) const;

  Texts head_;                   // up to ts_ms
  Texts from_marker_[kMarkers];  // from snapshot up to the sequence
  Shared shared_;
};

// source.snapshot of a marker other than kFalse.
absl::string_view SnapshotMarkerText(event::SnapshotMarker marker);
// source.sequence, as in ["last commit","lsn"].
void AppendSequenceText(const event::ChangeEvent& change, std::string* out);
// A point in time in its finest unit, printed once: coarser units are the same digits with the last
// ones left out.
class InstantDigits {
 public:
  explicit InstantDigits(int64_t instant);
  // instant / 10^digits, rounded down.
  void AppendWithoutLast(size_t digits, std::string* out) const;

 private:
  int64_t instant_;
  size_t size_;
  char digits_[24];
};

}  // namespace walduct::encode
