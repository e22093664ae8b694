// Which columns are written, and what is hidden or told of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace walduct::java {
class RegexList;
}

namespace walduct::encode {

enum class ColumnMaskKind { kTruncate, kStars, kHash, kHashV2 };

// One property column.truncate.to.*, column.mask.with.* or column.mask.hash.*: what becomes of the
// values of its columns.
struct ColumnMask {
  ColumnMaskKind kind = ColumnMaskKind::kStars;
  uint32_t length = 0;          // kTruncate, kStars: characters
  std::string algorithm, salt;  // kHash, kHashV2; the algorithm under its first name ("SHA-1")
  std::shared_ptr<const java::RegexList> columns;  // over schema.table.column
  std::string property = {};                       // its name, without a salt, for messages
};

// Columns of the value; a key keeps its columns as they are.
struct ColumnOptions {
  std::shared_ptr<const java::RegexList> include, exclude;  // over schema.table.column
  // by kind, then as configured: the order in which Debezium asks them
  std::vector<ColumnMask> masks;
  bool lost_warns = false;  // walduct.mask.lost=warn, see slot/masks/mask_guard.h
  std::shared_ptr<const java::RegexList> propagate_columns;  // over schema.table.column
  std::shared_ptr<const java::RegexList> propagate_types;    // over schema.table.type
};

}  // namespace walduct::encode
