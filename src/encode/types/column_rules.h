// What the configuration says about one column of a value: is it there, what becomes of its values,
// which parameters does its schema carry. Debezium asks its rules in a fixed order (truncate, mask
// with characters, propagate by column, propagate by type, hash, hash v2) and takes the first that
// names the column. The same here, but a mask that applies is never lost to another rule: see
// docs/differences.md. Pure; thread-safe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "encode/types/source_type.h"
#include "event/table_schema.h"

namespace walduct::encode {

struct ColumnMask;
struct ColumnOptions;

struct ColumnRule {
  // borrowed from the options; null: values stay as they are
  const ColumnMask* mask = nullptr;
  // of the schema, after those of the type
  std::vector<std::pair<std::string, std::string>> parameters;
  // a mask names the column, and its type is not a character type
  bool mask_without_effect = false;
};

// column: "schema.table.column".
bool IsIncluded(const ColumnOptions& options, absl::string_view column);

// table: "schema.table". source: of the column.
ColumnRule RuleOf(const ColumnOptions& options, absl::string_view table,
                  const event::Column& column, const SourceType& source);

}  // namespace walduct::encode
