// Names of tables as signals and properties write them.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::incremental {

struct TableId {
  std::string schema;  // empty: it was named without one, and is no table
  std::string table;

  std::string Text() const { return schema.empty() ? table : schema + "." + table; }
  friend bool operator==(const TableId&, const TableId&) = default;
};

// `schema.table`, either part in double quotes where it holds other characters than letters,
// digits and the like. Absent: it is not such a name.
std::optional<TableId> ParseTableId(absl::string_view text);
// The same, or a name without a schema.
std::optional<TableId> ParseAnyTableId(absl::string_view text);

}  // namespace walduct::incremental
