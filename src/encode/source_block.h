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

// Appends the decimal digits of number.
void AppendDigits(int64_t number, std::string* out);

}  // namespace walduct::encode
