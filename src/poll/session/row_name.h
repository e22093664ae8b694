// RowNameOf: by which the record of a row is known again, whoever reads it whenever: of the table,
// the primary key and when the row was written. Pure.
#pragma once

#include "absl/strings/string_view.h"
#include "event/record_id.h"
#include "poll/layouts/outbox_table.h"

namespace walduct::poll {

// FNV-1a, twice: the same in every version of this program.
class RowNamer {
 public:
  explicit RowNamer(uint64_t table) {
    for (int shift = 0; shift < 64; shift += 8) Byte(static_cast<unsigned char>(table >> shift));
  }
  // In order; ends, so that "a", "bc" is not "ab", "c".
  void Add(absl::string_view text) {
    for (const char c : text) Byte(static_cast<unsigned char>(c));
    Byte(0xFF);  // of no text in UTF-8
  }
  event::RowName name() const { return {.high = high_, .low = low_ | 1}; }

 private:
  void Byte(unsigned char c) {
    constexpr uint64_t kPrime = 1099511628211U;
    high_ = (high_ ^ c) * kPrime;
    low_ = (low_ ^ c) * kPrime;
  }

  uint64_t high_ = 14695981039346656037U, low_ = 0x9E3779B97F4A7C15U;
};

inline event::RowName RowNameOf(const OutboxTable& table, const postgres::Result& rows, int row) {
  RowNamer namer(ToInteger(table.relation));
  for (const int column : table.key_at) namer.Add(rows.Get(row, column));
  // Ids that begin anew are of other rows.
  if (table.born_at >= 0) namer.Add(rows.Get(row, table.born_at));
  return namer.name();
}

}  // namespace walduct::poll
