// SkippedRow: a row that snapshots leave out where its record cannot be published, by table and
// key; what walduct.snapshot.skip.rows holds. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::engine {

struct SkippedRow {
  std::string table;  // schema.table
  // Columns, by name, and their values as PostgreSQL prints them.
  std::vector<std::pair<std::string, std::string>> key;

  bool operator==(const SkippedRow&) const = default;
};

// [{"table":"public.orders","key":{"id":5}},…]; text that is empty has none. InvalidArgument: what
// is wrong.
absl::StatusOr<std::vector<SkippedRow>> ParseSkippedRows(absl::string_view text);
// {"id":5} of --row-key.
absl::StatusOr<SkippedRow> ParseSkippedRow(absl::string_view table, absl::string_view key);

std::string PrintSkippedRows(const std::vector<SkippedRow>& rows);
// Of one: {"id":5}
std::string PrintKey(const SkippedRow& row);

}  // namespace walduct::engine
