// The source block of a record. Its constant parts are made once; a record costs a handful of appends.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/options.h"
#include "encode/table_plan.h"
#include "event/change_event.h"

namespace walduct::encode {

class SourceBlock {
 public:
  explicit SourceBlock(const config::EncodeOptions& options);

  // Appends `{"version":…}` (kJson) or `Struct{version=…}` (kStruct). table: TablePlan::source_table.
  void Append(const event::ChangeEvent& change, const Texts& table, TextFormat format,
              std::string* out) const;

 private:
  static constexpr size_t kMarkers = 7;

  void AppendJson(const event::ChangeEvent& change, absl::string_view table,
                  std::string* out) const;
  void AppendStruct(const event::ChangeEvent& change, absl::string_view table,
                    std::string* out) const;

  Texts head_;                   // up to ts_ms
  Texts from_marker_[kMarkers];  // from snapshot up to the sequence
};

// source.snapshot of a marker other than kFalse.
absl::string_view SnapshotMarkerText(event::SnapshotMarker marker);
// source.sequence, as in ["last commit","lsn"].
void AppendSequenceText(const event::ChangeEvent& change, std::string* out);
int64_t FloorDivide(int64_t value, int64_t by);

// A point in time in its finest unit, printed once: coarser units are the same digits with the last ones left out.
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
