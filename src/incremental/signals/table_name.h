// Names of tables as signals and properties write them.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::incremental {

struct TableId {
  std::string schema;
  std::string table;

  std::string Text() const { return schema + "." + table; }
  friend bool operator==(const TableId&, const TableId&) = default;
};

// `schema.table`, either part in double quotes where it holds other characters than letters,
// digits and the like. Absent: it is not such a name.
std::optional<TableId> ParseTableId(absl::string_view text);

}  // namespace walduct::incremental
